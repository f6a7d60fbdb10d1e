package io.atoll.spring.state;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes waited to be freed in each rank's segment, as the last looks of this process found it. The ring keeps
 * {@value #POINTS} looks, at most one a second. No rank can write this figure about itself, since other ranks have
 * retired the objects in its segment. Only a process that looks at all ranks can sum them up. Any thread may use the
 * ring.
 *
 * <p>A rank takes 4.8 KB while any of these looks has seen something in its segment. There is room for
 * {@value #MOST_OWNERS} ranks, in 5 MB. If there are more, the ring keeps those that were seen first. Nothing is known
 * of the others then.
 */
final class LimboRing {

    static final int POINTS = 600;
    static final int MOST_OWNERS = 1_024;

    /** Looks that are closer to each other than this become one point. */
    private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long NANOS_A_MILLI = Duration.ofMillis(1).toNanos();
    private static final int NONE = -1;

    private final long staleMillis;
    private final ReentrantLock lock = new ReentrantLock();
    private final long[] atNanos = new long[POINTS]; // guarded by the lock, like the fields below
    private final Map<Integer, Row> rows = new TreeMap<>(); // by the rank that owns the bytes
    private final boolean[] isPartial = new boolean[POINTS]; // true for a look that saw a rank without room
    private long written;
    private long firstNanos;

    /** @param longestRest the longest time from one look to the next */
    LimboRing(Duration longestRest) {
        this.staleMillis = longestRest.toMillis() + HistoryGrid.STALE_MILLIS;
    }

    /** The bytes of one owner by place, and how many of these values are not 0. */
    private static final class Row {

        private final long first; // the number of the look that began this row
        private final long[] bytes = new long[POINTS];
        private int known;

        Row(long first) {
            this.first = first;
        }

        /** Returns true if any value is not 0. */
        boolean set(int place, long value) {
            known += Long.signum(value) - Long.signum(bytes[place]);
            bytes[place] = value;
            return known > 0;
        }
    }

    /** @param ownedBytes the bytes by the rank whose segment contains them */
    void add(long nowNanos, Map<Integer, Long> ownedBytes) {
        lock.lock();
        try {
            if (written > 0 && nowNanos - atNanos[place(written - 1)] < INTERVAL_NANOS) {
                return;
            }
            int place = place(written);
            rows.entrySet().removeIf(row -> !row.getValue().set(place, ownedBytes.getOrDefault(row.getKey(), 0L)));
            isPartial[place] = false;
            ownedBytes.forEach((owner, bytes) -> {
                if (bytes > 0 && !rows.containsKey(owner)) {
                    if (rows.size() < MOST_OWNERS) {
                        Row row = new Row(written);
                        row.set(place, bytes);
                        rows.put(owner, row);
                    } else {
                        isPartial[place] = true;
                    }
                }
            });
            atNanos[place] = nowNanos;
            firstNanos = written == 0 ? nowNanos : firstNanos;
            written++;
        } finally {
            lock.unlock();
        }
    }

    private static int place(long number) {
        return (int) (number % POINTS);
    }

    /**
     * @param seenForMillis how long ago the first look was; null if there was none
     * @param ageMillis the age of the last look
     * @param values the values by rank, at the times of a grid; null where no look was near
     */
    record Shown(@Nullable Long seenForMillis, long ageMillis, Map<Integer, List<@Nullable Double>> values) {}

    /** @param others ranks that are always shown, even if nothing was seen in their segments */
    Shown shown(HistoryGrid grid, Collection<Integer> others) {
        lock.lock();
        try {
            if (written == 0) {
                return new Shown(null, 0, Map.of());
            }
            long[] looks = looks(grid);
            TreeSet<Integer> owners = new TreeSet<>(others);
            owners.addAll(rows.keySet());
            Map<Integer, List<@Nullable Double>> values = new HashMap<>();
            for (int owner : owners) {
                Row row = rows.get(owner);
                @Nullable Double[] line = new Double[looks.length];
                for (int point = 0; point < looks.length; point++) {
                    line[point] = looks[point] == NONE ? null : value(row, looks[point]);
                }
                values.put(owner, Collections.unmodifiableList(Arrays.asList(line)));
            }
            return new Shown(millisSince(firstNanos, grid), millisSince(atNanos[place(written - 1)], grid), values);
        } finally {
            lock.unlock();
        }
    }

    /** Returns null if the look may have seen this rank without keeping what it saw. */
    private @Nullable Double value(@Nullable Row row, long look) {
        if (row != null && look >= row.first) {
            return (double) row.bytes[place(look)];
        }
        return isPartial[place(look)] ? null : 0.0;
    }

    /** Returns, for each time of the grid, the last look that was not later, if that look is near. */
    private long[] looks(HistoryGrid grid) {
        long[] looks = new long[grid.points()];
        Arrays.fill(looks, NONE);
        long next = Math.max(0, written - POINTS);
        for (int point = 0; point < looks.length; point++) {
            long ageMillis = grid.ageMillis(point);
            while (next < written && millisSince(atNanos[place(next)], grid) >= ageMillis) {
                next++;
            }
            if (next > Math.max(0, written - POINTS)
                    && millisSince(atNanos[place(next - 1)], grid) - ageMillis <= staleMillis) {
                looks[point] = next - 1;
            }
        }
        return looks;
    }

    private static long millisSince(long nanos, HistoryGrid grid) {
        return Math.max(0, grid.nowNanos() - nanos) / NANOS_A_MILLI;
    }
}
