package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.time.Duration;

/**
 * What the threads of one rank have done with all locks of a table, and what they do. Counts are those since the rank's segment was made; a table that is not counted has none.
 *
 * @param acquisitions of locks of all ranks
 * @param waits those that had to wait
 * @param waited all their waits together
 * @param recoveries those that were told that somebody may have died with the lock
 * @param holding locks that the rank's threads hold
 * @param awaiting threads that wait for a lock
 * @param longestHeld how long that lock is held which is held longest; zero if none is
 * @param longestAwaited how long that thread waits which waits longest; zero if none does
 */
public record LockTotals(long acquisitions, long waits, Duration waited, long recoveries, int holding, int awaiting,
        Duration longestHeld, Duration longestAwaited) {

    private static final int LINES_IN_BUFFER = (int) (Batch.THREAD_BUFFER_BYTES / CountLine.SIZE);

    /**
     * Reads what that rank has written down in its own segment. Cost: R for each 512 locks, and R for each 512 descriptors.
     *
     * @param block where the table begins there
     * @param nowMillis by the clock of that rank's host, since 1970
     * @throws io.atoll.failure.FabricException when the rank cannot be read
     */
    public static LockTotals read(Endpoint endpoint, TableLayout layout, int rank, long block, long nowMillis) {
        Requests requests = new Requests(nowMillis);
        Descriptors.visit(endpoint, rank, layout.maxSize(), block + layout.requests(), layout.descriptors(),
                (_, words, position) -> requests.add(words, position));
        CountSums sums = sums(endpoint, layout, rank, block);
        return new LockTotals(sums.acquisitions(), sums.waits(), Duration.ofNanos(sums.waitedNanos()),
                sums.recoveries(), requests.holding, requests.awaiting, Duration.ofMillis(requests.longestHeldMillis),
                Duration.ofMillis(requests.longestAwaitedMillis));
    }

    private static CountSums sums(Endpoint endpoint, TableLayout layout, int rank, long block) {
        CountSums sums = new CountSums();
        long lines = layout.counted() ? layout.locks() : 0;
        for (long first = 0; first < lines; first += LINES_IN_BUFFER) {
            long bytes = Math.min(LINES_IN_BUFFER, lines - first) * CountLine.SIZE;
            try (Batch batch = endpoint.batch(rank)) {
                batch.read(rank, block + layout.counts() + first * CountLine.SIZE, 0, bytes);
                batch.complete();
                for (long position = 0; position < bytes; position += CountLine.SIZE) {
                    sums.add(batch, position);
                }
            }
        }
        return sums;
    }

    private static final class Requests {

        private final long nowMillis;
        private int holding;
        private int awaiting;
        private long longestHeldMillis;
        private long longestAwaitedMillis;

        Requests(long nowMillis) {
            this.nowMillis = nowMillis;
        }

        void add(Batch words, long position) {
            long phase = Phase.kind(words.word(position + Descriptor.PHASE));
            long sinceMillis = nowMillis - words.word(position + Descriptor.SINCE);
            if (phase == Phase.HOLDING) {
                holding++;
                longestHeldMillis = Math.max(longestHeldMillis, sinceMillis);
            } else if (phase != Phase.RELEASING && phase != Phase.LEAVING) {
                awaiting++;
                longestAwaitedMillis = Math.max(longestAwaitedMillis, sinceMillis);
            }
        }
    }
}
