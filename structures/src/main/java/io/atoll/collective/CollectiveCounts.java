package io.atoll.collective;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what became of all collectives of one kind that this process has begun.
 *
 * @param name the name of the window or exchange
 * @param operation such as {@code broadcast} or {@code allReduce}
 * @param finished the number that came to their end
 * @param failed the number that did not, since a member was lost, or this thread was interrupted
 * @param bytes the bytes that this process handed over, or received, in those that have finished
 * @param total the time of those that have finished
 * @param longest the longest of those times
 * @param durations the times of those that have finished; later ones are counted in it, too
 */
public record CollectiveCounts(String name, String operation, long finished, long failed, long bytes, Duration total,
        Duration longest, Durations durations) {

    /**
     * Counts how long collectives took, in ranges that double. It takes 288 bytes for any number of collectives, and
     * counting allocates nothing. Any thread may use it.
     * <pre>
     *    range 0          1               2                     34                      35
     *    0 ------ 1.024 us ------ 2.048 us ------ 4.096 us  ...    ------ about 4.9 h ------ for ever
     * </pre>
     */
    public static final class Durations {

        private static final int RANGES = 36;
        private static final int FIRST_BITS = 10; // the first range ends at 1,024 ns

        private final AtomicLongArray counts = new AtomicLongArray(RANGES);

        /** @param upToNanos the longest time that is counted here; the last range also has all longer times */
        public record Range(long upToNanos, long count) {}

        void count(long nanos) {
            int range = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, nanos - 1) >>> FIRST_BITS);
            counts.incrementAndGet(Math.min(range, RANGES - 1));
        }

        /** Returns the ranges from the first to the last one that has a count, empty ones between them included. */
        public List<Range> ranges() {
            List<Range> ranges = new ArrayList<>();
            int filled = 0;
            for (int range = 0; range < RANGES; range++) {
                long count = counts.get(range);
                if (count > 0 || !ranges.isEmpty()) {
                    ranges.add(new Range(1L << FIRST_BITS + range, count));
                }
                if (count > 0) {
                    filled = ranges.size();
                }
            }
            return List.copyOf(ranges.subList(0, filled));
        }
    }

    static CollectiveCounts none(String name, String operation) {
        return new CollectiveCounts(name, operation, 0, 0, 0, Duration.ZERO, Duration.ZERO, new Durations());
    }

    CollectiveCounts withFinished(long more, Duration took) {
        durations.count(took.toNanos());
        return new CollectiveCounts(name, operation, finished + 1, failed, bytes + more, total.plus(took),
                took.compareTo(longest) > 0 ? took : longest, durations);
    }

    CollectiveCounts withFailed() {
        return new CollectiveCounts(name, operation, finished, failed + 1, bytes, total, longest, durations);
    }
}
