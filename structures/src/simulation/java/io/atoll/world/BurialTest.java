package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever a rank had under way in a segment when it died is taken back, whichever step it died after. The segment's
 * owner does that, or the rank itself when it starts again.
 */
@Tag("simulation")
class BurialTest {

    private static final int OWNER = 0;
    private static final int MORTAL = 1;
    private static final int STEPS = 600;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK_BYTES = 8 << 10;
    private static final long OBJECT_BYTES = 64;

    private Simulation simulation = world(1);

    private static Simulation world(int fatal) {
        return new Simulation(fatal, SimOptions.ranks(2)
                .guarantees(SimOptions.NETWORK_CARD)
                .segmentBytes(SEGMENT_BYTES)
                .killAt(MORTAL, fatal));
    }

    private Participant participant(int rank, int incarnation) {
        return new Participant(simulation.endpoint(rank), incarnation, simulation::isFenced, Duration.ofSeconds(10),
                () -> new int[]{1, incarnation});
    }

    /** Opens a structure, and takes objects into the slab cache. */
    private void use(SimRank rank) {
        if (rank.rank() == MORTAL) {
            Participant mortal = participant(MORTAL, 1);
            mortal.heap().allocate(OWNER, OBJECT_BYTES);
            mortal.directory().open("orders", "orders", _ -> BLOCK_BYTES);
        }
    }

    /** What is still to be taken back afterwards, in all runs. */
    private record Left(int entries, long runBytes, long stockBytes) {

        static final Left NOTHING = new Left(0, 0, 0);

        Left plus(Left other) {
            return new Left(entries + other.entries, runBytes + other.runBytes, stockBytes + other.stockBytes);
        }
    }

    private Left left() {
        Participant owner = participant(OWNER, 1);
        return new Left(owner.directory().repairAll(OWNER) ? 1 : 0,
                owner.directory().takeBack(OWNER, MORTAL, 1), owner.heap().reclaimStock(OWNER, MORTAL, 1));
    }

    private Left afterEachDeath(Runnable cleanup) {
        Left all = Left.NOTHING;
        for (int fatal = 1; fatal <= STEPS; fatal++) {
            simulation = world(fatal);
            simulation.onDeath(_ -> {}).run(this::use);
            cleanup.run();
            all = all.plus(left());
        }
        return all;
    }

    @Test
    void theOwnerTakesBackWhatADeadRankHadUnderWay() {
        assertThat(afterEachDeath(() -> participant(OWNER, 1).reclaimDead(MORTAL, 1))).isEqualTo(Left.NOTHING);
    }

    @Test
    void aRankThatStartsAgainTakesBackWhatItHadUnderWayBefore() {
        assertThat(afterEachDeath(() -> participant(MORTAL, 2).recover(OWNER))).isEqualTo(Left.NOTHING);
    }

    /** Otherwise the tests above would say nothing. */
    @Test
    void withoutThemSomethingOfEachKindIsLeft() {
        assertThat(afterEachDeath(() -> {})).satisfies(left -> {
            assertThat(left.entries()).as("reserved entries").isPositive();
            assertThat(left.runBytes()).as("reserved runs").isPositive();
            assertThat(left.stockBytes()).as("objects in the slab cache").isPositive();
        });
    }
}
