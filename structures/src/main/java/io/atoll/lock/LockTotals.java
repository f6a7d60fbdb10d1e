package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.time.Duration;

/**
 * Totals over all locks of a table for the threads of one rank: what they have done, and what they do now. Counts begin
 * when the rank's segment was made. A table that is not counted has none.
 *
 * @param acquisitions acquisitions of locks of all ranks
 * @param waits acquisitions that had to wait
 * @param waited the sum of all waits
 * @param recoveries acquisitions that were told that a former holder may have died with the lock
 * @param holding locks that the rank's threads hold
 * @param awaiting threads that wait for a lock
 * @param longestHeld the age of the longest hold; zero if no lock is held
 * @param longestAwaited the age of the longest wait; zero if no thread waits
 */
public record LockTotals(long acquisitions, long waits, Duration waited, long recoveries, int holding, int awaiting,
        Duration longestHeld, Duration longestAwaited) {

    private static final int LINES_IN_BUFFER = (int) (Batch.THREAD_BUFFER_BYTES / CountLine.SIZE);

    /**
     * Reads what a rank has written down in its own segment. Cost: R for each 512 locks, and R for each 512
     * descriptors.
     *
     * @param block the offset of the table in the rank's segment
     * @param nowMillis the time by the clock of that rank's host, in milliseconds since 1970
     * @throws io.atoll.failure.FabricException if the rank cannot be read
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
