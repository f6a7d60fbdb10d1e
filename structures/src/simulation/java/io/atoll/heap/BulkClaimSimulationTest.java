package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** As {@link ObjectSimulationTest}, of objects that are allocated together: more than a slab has. */
@Tag("simulation")
class BulkClaimSimulationTest {

    private static final int TOGETHER = 8;
    private static final int SEEDS = 1_000;

    private static final HeapArea SPACIOUS = ObjectWorld.area(12);
    private static final HeapArea CROWDED = ObjectWorld.area(4);

    private static final List<Guarantees> FABRICS = List.of(SimOptions.TCP, SimOptions.NETWORK_CARD,
            SimOptions.WEAKEST);

    private static final SimOptions OPTIONS = SimOptions.ranks(ObjectWorld.RANKS).segmentBytes(8192).pauses(0.01);
    private static final SimOptions DEADLY = OPTIONS.kills(0.008, 1, 2);

    private static final UnaryOperator<Fabric> FAITHFUL = UnaryOperator.identity();

    private static SimOptions on(SimOptions options, long seed) {
        return options.guarantees(FABRICS.get((int) (seed % FABRICS.size())));
    }

    private static SimOptions deadly(long seed) {
        SimOptions options = on(DEADLY, seed);
        return seed % 2 == 0 ? options : options.zombies();
    }

    private static void run(long seed, SimOptions options, HeapArea area, int threads) {
        new ObjectWorld(seed, options, area, threads, TOGETHER, FAITHFUL).run();
    }

    @Test
    void noObjectIsHandedOutTwiceAndNoneIsLost() {
        Seeds.each(SEEDS, seed -> run(seed, deadly(seed), SPACIOUS, 1));
    }

    @Test
    void norInAHeapThatIsFullMostOfTheTime() {
        Seeds.each(SEEDS, seed -> run(seed, deadly(seed), CROWDED, 1));
    }

    @Test
    void norByThreadsOfOneRank() {
        Seeds.each(SEEDS / 2, seed -> run(seed, deadly(seed), CROWDED, 3));
    }

    @Test
    void norByAKillBetweenAnyTwoSteps() {
        for (int step = 1; step <= 400; step++) {
            run(step, on(OPTIONS, step).killAt(1, step), SPACIOUS, 1);
        }
    }

    @Test
    void whileNobodyDiesAllRoomIsAnnounced() {
        Seeds.each(SEEDS / 2, seed -> run(seed, on(OPTIONS, seed), SPACIOUS, 2));
    }

    // --- mistakes ---

    /** Ranks pause. */
    private static final class Pausing implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(SEEDS, seed -> BulkClaimSimulationTest.run(seed, on(OPTIONS, seed), SPACIOUS,
                    2))).isPositive();
        }
    }

    /** Ranks die. */
    private static final class Dying implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(SEEDS,
                    seed -> BulkClaimSimulationTest.run(seed, deadly(seed), SPACIOUS, 1))).isPositive();
        }
    }

    @Test
    void slabsThatAreMadeOfWhatAnotherRankHasReservedAreFound() {
        new Patch(BulkClaim.class).replace("batch.guard(run.claim);", "").run(Pausing.class);
    }

    @Test
    void aReusedSlabWithFormerWordsIsFound() {
        new Patch(BulkClaim.class).replace("run.slabs.getFirst().words().addZeros(batch, ZEROS, PART_BYTES);", "")
                .run(Pausing.class);
    }

    @Test
    void aSlabThatIsGivenUpWithoutAnotherLookIsFound() {
        new Patch(BulkClaim.class).replace("each.words().makeRoomIfAny(each.words().free(batch, each.free));", "")
                .run(Pausing.class);
    }

    @Test
    void objectsThatAreMarkedAsHandedOutWhenTheyAreClaimedAreFound() {
        new Patch(ObjectSlab.class)
                .replace("batch.setWord(position + at * Layouts.WORD, mark(objects >>> first + at));",
                        "batch.setWord(position + at * Layouts.WORD, SizeClass.HANDED_OUT);")
                .run(Dying.class);
    }

    @Test
    void aRunThatIsDividedFromItsBeginningIsFound() {
        new Patch(BulkClaim.class).replace("""
                        for (int index = 1; index < run.slabs.size(); index++) {
                """, """
                        run.division = batch.compareAndExchange(target, area.wordOffset(run.first),
                                objects.pending(run.slabs.size()), run.slabs.getFirst().slab.word());
                        for (int index = 1; index < run.slabs.size(); index++) {
                """).replace("""
                        // Last: until then, the others are the inside of a run.
                        run.division = batch.compareAndExchange(target, area.wordOffset(run.first),
                                objects.pending(run.slabs.size()), run.slabs.getFirst().slab.word());
                """, "").run(Dying.class);
    }

    @Test
    void aHintThatPassesAFreeRunIsFound() {
        new Patch(BulkClaim.class).replace("""
                        } else if (passed == NONE) {
                            passed = walk.slab();
                        }
                """, """
                        }
                """).run(Pausing.class);
    }
}
