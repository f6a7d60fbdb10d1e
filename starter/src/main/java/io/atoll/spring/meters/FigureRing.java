package io.atoll.spring.meters;

import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.HistoryState.Origin;
import io.atoll.spring.state.HistoryState.RankSeries;
import io.atoll.spring.state.HistoryState.SeriesState;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one structure, as the last looks found them: at most {@value #POINTS}, in 4 KiB. Any thread may use
 * the ring.
 * <pre>
 *              interval
 *            |----------|
 *   looks     x          x            x (late)         x  the last one
 *   points    |          |          |          |          |
 *   value     x          x          x        none         x      each look at the point that is nearest
 * </pre>
 */
final class FigureRing {

    static final int POINTS = 120;

    private static final List<SeriesState> SERIES = List.of(new SeriesState("entries", "count", false, null),
            new SeriesState("load-percent", "percent", false, null),
            new SeriesState("operations", "count", true, null));

    private static final int ENTRIES = 0;
    private static final int LOAD_PERCENT = 1;
    private static final int OPERATIONS = 2;
    private static final double PERCENT = 100;
    private static final double NANOS_A_SECOND = 1e9;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] atNanos = new long[POINTS]; // guarded by the lock, like the fields below
    private final double[][] figures = new double[SERIES.size()][POINTS]; // NaN where a figure is not known
    private long written;

    /** Returns the history of a structure of which nothing was seen. */
    static HistoryState none(Duration interval) {
        return new HistoryState(interval.toMillis(), null, 0, SERIES, List.of());
    }

    /**
     * @param fill from 0 to 1
     * @param operations the total since the beginning
     */
    void add(long nowNanos, double entries, OptionalDouble fill, OptionalDouble operations) {
        lock.lock();
        try {
            int place = place(written);
            atNanos[place] = nowNanos;
            figures[ENTRIES][place] = entries;
            figures[LOAD_PERCENT][place] = fill.orElse(Double.NaN) * PERCENT;
            figures[OPERATIONS][place] = operations.orElse(Double.NaN);
            written++;
        } finally {
            lock.unlock();
        }
    }

    private static int place(long number) {
        return (int) (number % POINTS);
    }

    /** Returns the last figures. Operations are shown as a rate per second. */
    HistoryState history(int rank, Duration interval, long nowNanos) {
        lock.lock();
        try {
            if (written == 0) {
                return none(interval);
            }
            long lastNanos = atNanos[place(written - 1)];
            @Nullable Double[][] rows = new Double[SERIES.size()][POINTS];
            for (long number = Math.max(0, written - POINTS); number < written; number++) {
                int place = place(number);
                long age = Math.round((double) (lastNanos - atNanos[place]) / interval.toNanos());
                if (age < POINTS) {
                    int point = POINTS - 1 - (int) age;
                    rows[ENTRIES][point] = known(figures[ENTRIES][place]);
                    rows[LOAD_PERCENT][point] = known(figures[LOAD_PERCENT][place]);
                    rows[OPERATIONS][point] = number > Math.max(0, written - POINTS) ? rate(number) : null;
                }
            }
            long ageMillis = Duration.ofNanos(Math.max(0, nowNanos - lastNanos)).toMillis();
            Map<String, List<@Nullable Double>> values = new LinkedHashMap<>();
            for (int series = 0; series < rows.length; series++) {
                values.put(SERIES.get(series).key(), Collections.unmodifiableList(Arrays.asList(rows[series])));
            }
            return new HistoryState(interval.toMillis(), null, ageMillis, SERIES,
                    List.of(new RankSeries(rank, Origin.LIVE, ageMillis, values)));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the rate of operations since the look before. Returns null if one of the two counts is not known, or if
     * the count has begun anew.
     */
    private @Nullable Double rate(long number) {
        int place = place(number);
        int before = place(number - 1);
        double done = figures[OPERATIONS][place] - figures[OPERATIONS][before];
        long nanos = atNanos[place] - atNanos[before];
        return done >= 0 && nanos > 0 ? known(done * NANOS_A_SECOND / nanos) : null;
    }

    private static @Nullable Double known(double figure) {
        return Double.isNaN(figure) ? null : Double.valueOf(figure);
    }
}
