package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Reservations;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mistakes in what {@link BucketComputer} reserves, keeps and undoes must be found, where the owner decides. */
@Tag("simulation")
class ComputerMutationTest {

    private static final class Computing implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(TCP),
                    List.of(Kind.FIND, Kind.PUT, Kind.REMOVE, Kind.INCREMENT, Kind.COMPUTE), MapWorld.KEYS,
                    rank -> ComputingSimulationTest.open(MapWorld.participant(rank))));
        }
    }

    private static final class ComputingOneKey implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(TCP),
                    List.of(Kind.FIND, Kind.PUT, Kind.INCREMENT, Kind.COMPUTE_IF_ABSENT),
                    List.of(MapSimulation.KEY), rank -> ComputingSimulationTest.open(MapWorld.participant(rank))));
        }
    }

    /**
     * Threads of a rank change few keys, and connections break. If two of them keep one bucket, one finds in the end
     * that it keeps none. So any failure is the mistake's.
     */
    private static final class Breaking implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(MapSimulation.SEEDS, ComputingSimulationTest.breaking(TCP,
                    List.of(Kind.FIND, Kind.PUT, Kind.INCREMENT, Kind.COMPUTE)))).isPositive();
        }
    }

    @Test
    void aFunctionThatIsAskedThoughItsBucketIsNotReservedIsFound() {
        new Patch(BucketSearcher.class)
                .replace(": batch.succeeded(change.exchanged);", ": batch.succeeded(change.found);")
                .run(ComputingOneKey.class);
    }

    @Test
    void aBucketThatIsNotReservedIsFound() {
        new Patch(BucketSearcher.class)
                .replace("batch.exchangeFound(owner, from(change), EVERY_BIT, reservation); // behind (5): (8)",
                        "change.found;")
                .run(ComputingOneKey.class);
    }

    @Test
    void aBucketThatIsNamedThoughItsHomeWasNotFreeIsFound() {
        new Patch(BucketSearcher.class).replace("batch.guard(change.inserted);\n", "").run(Computing.class);
    }

    @Test
    void anUndoingOfABucketThatIsKeptIsFound() {
        new Patch(BucketSearcher.class)
                .replace("\n                    && !reservations.isKept(owner, offset)", "")
                .run(Breaking.class);
    }

    @Test
    void anUndoingThatForgetsANamedBucketIsFound() {
        new Patch(BucketSearcher.class)
                .replace("\n                    || writer.repairNamed(owner, first, home, words[from + HASH])", "")
                .run(Breaking.class);
    }

    @Test
    void aBucketThatIsKeptNoMoreBeforeItsHomeIsHeldIsFound() {
        new Patch(Reservations.class)
                .replace("int hold = holdAgain(keeper);\n        kept.remove(keeper.word);",
                        "kept.remove(keeper.word);\n        int hold = holdAgain(keeper);")
                .run(Breaking.class);
    }

    @Test
    void aReservationWithoutAHoldOfTheHomeIsFound() {
        new Patch(BucketComputer.class).replace(": reservations.hold(change.owner, home);",
                ": reservations.hold(change.owner, 8 * reservations.nextAttempt());").run(Breaking.class);
    }

    @Test
    void aValueOfAnotherVersionIsFound() {
        new Patch(BucketSearcher.class)
                .replace("bucket.place(batch.result(change.found)) : bucket.value;", "bucket.value : bucket.value;")
                .run(ComputingOneKey.class);
    }
}
