package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A history has one run of the segment and nothing else, whatever happens to the process that makes it. */
class HistoryRunTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final HistoryBlock SMALL = new HistoryBlock(3, 2, 2);
    private static final HistoryBlock LARGE = new HistoryBlock(30, 20, 2);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_ACCESSES = 1_000;
    private static final int RANK = 0;

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(1).segmentBytes(512 << 10).guarantees(guarantees);
    }

    private static Participant participant(SimRank rank) {
        return Participants.of(rank, TIMEOUT);
    }

    private static void make(HistoryRun run, Participant self) {
        if (run.kept(self) == null) {
            run.reserve(self);
        }
    }

    private static long word(Participant self) {
        return self.endpoint().fabric().local().getAcquire(self.historyWord());
    }

    /** Returns when the history that readers find was made; 0 if there is none. */
    private static long born(Participant self) {
        long run = word(self);
        return run == 0 ? 0 : self.endpoint().fabric().local().getAcquire(run + HistoryBlock.BORN);
    }

    private static void assertHasOne(Participant self, HistoryBlock block, String when) {
        long run = word(self);
        assertThat(HistoryWriter.isBegun(block, self.endpoint().fabric().local(), run)).as("begun, %s", when).isTrue();
        HeapUsage usage = self.heap().usage(RANK);
        assertThat(usage.pendingRuns()).as("pending, %s", when).isZero();
        assertThat(usage.ownedRuns()).as("in use, %s", when).isOne();
        assertThat(usage.ownedBytes()).as("in use, %s", when).isEqualTo(self.heap().runBytes(RANK, run));
    }

    private interface Setting {
        void prepare(Participant self);
    }

    /**
     * Lets an error strike the access of the given number while a history is made. Returns true if there was such an
     * access. The next try must make the history.
     */
    private static boolean isStruckAt(int access, Guarantees guarantees, Setting setting) {
        boolean[] struck = {false};
        new Simulation(1, options(guarantees)).run(rank -> {
            setting.prepare(participant(rank));
            Participant self = participant(rank);
            HistoryRun run = new HistoryRun(LARGE);
            long before = word(self);
            struck[0] = rank.simulation().isStruckAt(access, false, () -> make(run, self));
            long known = word(self);
            long born = born(self);
            make(run, self);
            assertHasOne(self, LARGE, "struck at access " + access);
            if (known != before && known != 0) {
                assertThat(born(self)).as("what readers know stays, struck at access %s", access).isEqualTo(born);
            }
        });
        return struck[0];
    }

    private static void strikeAtEachAccess(Guarantees guarantees, Setting setting) {
        int accesses = 0;
        while (accesses < MOST_ACCESSES && isStruckAt(accesses + 1, guarantees, setting)) {
            accesses++;
        }
        assertThat(accesses).as("accesses").isBetween(10, MOST_ACCESSES - 1);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anErrorAtAnyStepLeavesNothingBehind(Guarantees guarantees) {
        strikeAtEachAccess(guarantees, _ -> {});
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aHistoryOfAnotherVersionThatIsTooSmallIsFreedWhateverErrorStrikes(Guarantees guarantees) {
        strikeAtEachAccess(guarantees, self -> make(new HistoryRun(SMALL), self));
    }

    @Test
    void aRunThatAnotherStructureHasIsNotTaken() {
        new Simulation(1, options(SimOptions.SHARED_MEMORY)).run(rank -> {
            Participant self = participant(rank);
            long others = self.heap().reserve(RANK, 64 << 10);
            self.heap().commit(RANK, others);
            LocalMemory own = self.endpoint().fabric().local();
            own.setRelease(self.historyWord(), others);
            make(new HistoryRun(SMALL), self);
            assertThat(word(self)).isNotEqualTo(others);
            assertThat(own.getAcquire(others)).as("untouched").isZero();
            assertThat(self.heap().runBytes(RANK, others)).isPositive();
        });
    }
}
