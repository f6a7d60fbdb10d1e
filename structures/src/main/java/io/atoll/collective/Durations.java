package io.atoll.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts how long collectives took, in ranges that double. It takes 288 bytes for any number of collectives, and
 * counting allocates nothing. Any thread may use it.
 * <pre>
 *    range 0          1               2                     34                      35
 *    0 ------ 1.024 us ------ 2.048 us ------ 4.096 us  ...    ------ about 4.9 h ------ for ever
 * </pre>
 */
public final class Durations {

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
