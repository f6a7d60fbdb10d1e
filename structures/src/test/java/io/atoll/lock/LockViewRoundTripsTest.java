package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Verb;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.RankUnreachableException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how long a look takes in a world of many ranks. Round trips stand for time. */
class LockViewRoundTripsTest {

    private static final int RANKS = 100;
    private static final int HOT = 20;
    private static final long BLOCK = 4_096;

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(256 << 10).unmapped());
    private final RecordingFabric fabric = new RecordingFabric(simulation.fabric(0));
    private final TableLayout layout = new TableLayout(RANKS, RANKS, 200, 16, true);

    private LockView view(Fabric through) {
        long[] blocks = new long[RANKS];
        Arrays.fill(blocks, BLOCK);
        return new LockView(new Endpoint(through), layout, true, blocks);
    }

    private void count(int rank, long lock, long waitedNanos) {
        long line = BLOCK + layout.counts() + lock * CountLine.SIZE;
        simulation.fabric(rank).local().set(line + CountLine.WAITED, waitedNanos);
        simulation.fabric(rank).local().set(line + CountLine.WAITS, 1);
    }

    private void countAtEachRank() {
        for (int rank = 0; rank < RANKS; rank++) {
            for (int lock = 0; lock < HOT; lock++) {
                count(rank, lock, 1_000_000L * (HOT - lock));
            }
        }
    }

    @Test
    void theCountsOfAllRanksAreReadInOneRoundTripForEachLock() {
        countAtEachRank();
        LockView view = view(fabric);
        Journal journal = fabric.record(() -> {
            List<LockState> hottest = view.hottest(HOT);
            assertThat(hottest).extracting(LockState::index).startsWith(0L, 1L, 2L).hasSize(HOT);
            assertThat(hottest).allSatisfy(lock -> assertThat(lock.counts().waits()).isEqualTo(RANKS));
            assertThat(hottest.getFirst().counts().waited().toMillis()).isEqualTo(HOT * RANKS);
        });
        // Each rank: the descriptors after their number. The waits: as many ranks at once as the buffer has room for.
        // The births and the times: one round trip each for all ranks. Each lock: its line, and one round trip for all
        // counts.
        long ranksAtOnce = Batch.THREAD_BUFFER_BYTES / (layout.locks() * CountLine.SIZE);
        assertThat(journal.roundTrips())
                .isLessThanOrEqualTo(Math.toIntExact(2 * RANKS + Math.ceilDiv(RANKS, ranksAtOnce) + 2 + 2 * HOT));
    }

    /** The first wait is that for several ranks together, the second one shows which of them is silent. */
    @Test
    void aSilentRankIsWaitedForTwiceAtMostAndAllOthersAreSeen() {
        countAtEachRank();
        WithSilentRank through = new WithSilentRank(simulation.fabric(0));
        List<LockState> hottest = view(through).hottest(HOT);
        assertThat(hottest).hasSize(HOT).allSatisfy(lock -> assertThat(lock.counts().waits()).isEqualTo(RANKS - 1));
        assertThat(through.waits).isEqualTo(2);
    }

    /** A fabric on which one rank does not answer. */
    private static final class WithSilentRank extends ForwardingFabric {

        private static final int SILENT = 70;

        private int waits;

        WithSilentRank(Fabric wrapped) {
            super(wrapped);
        }

        private void waitInVain() {
            waits++;
            throw new RankUnreachableException("it does not answer", "read", SILENT, 0);
        }

        @Override
        protected long before(Verb verb, int target, long offset, long bytes) {
            if (target == SILENT) {
                waitInVain();
            }
            return 0;
        }

        @Override
        public Batch batch() {
            return withSilentRank(wrapped().batch());
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return withSilentRank(wrapped().newBatch(bufferBytes));
        }

        private Batch withSilentRank(Batch batch) {
            return new ForwardingBatch(batch) {

                private boolean isSilent;

                @Override
                protected void before(Verb verb, int target, long offset, long bytes) {
                    isSilent |= target == SILENT;
                }

                @Override
                public void complete() {
                    super.complete();
                    if (isSilent) {
                        isSilent = false;
                        waitInVain();
                    }
                }
            };
        }
    }
}
