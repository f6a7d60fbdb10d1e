package io.atoll.spring.state;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import io.atoll.spring.state.HistoryState.RankSeries;
import io.atoll.spring.state.HistoryState.SeriesState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts the points of all ranks on the same times. Each rank has written its points at times of its own. All times are
 * ages, since the clocks of different hosts are not compared.
 * <pre>
 *                  interval
 *              |--------------|
 *    grid      t0             t1             t2            t3        now
 *              |              |              |             |----------|  untilAge
 *    points      x   x  x   x   x   x  x   x   x  (rank was lost)
 *    value                    x              x             null
 * </pre>
 */
final class HistoryGrid {

    /** A point that is older than this, compared with its time on the grid, says nothing about that time. */
    static final long STALE_MILLIS = 2_500;

    private final int points;
    private final long intervalMillis;
    private final long untilMillis;
    private final long untilAgeMillis;
    private final long nowNanos;

    /**
     * @param seconds the length of the shown period
     * @param points the number of points in it
     * @param nowMillis the present time. Its origin does not matter, but must be the same for all calls. Then the grid
     * stands still between two of them
     */
    HistoryGrid(long seconds, int points, long nowMillis, long nowNanos) {
        this(points, seconds * 1_000 / points, nowMillis, nowNanos);
    }

    private HistoryGrid(int points, long intervalMillis, long nowMillis, long nowNanos) {
        this.points = points;
        this.intervalMillis = intervalMillis;
        this.untilAgeMillis = Math.floorMod(nowMillis, intervalMillis);
        this.untilMillis = nowMillis - untilAgeMillis;
        this.nowNanos = nowNanos;
    }

    /** Returns the part of this grid after that time. It has no points if this grid ends by then. */
    HistoryGrid after(long fromMillis) {
        long newer = Math.ceilDiv(Math.max(0, untilMillis - fromMillis), intervalMillis);
        return new HistoryGrid((int) Math.min(points, newer), intervalMillis, untilMillis + untilAgeMillis, nowNanos);
    }

    int points() {
        return points;
    }

    long nowNanos() {
        return nowNanos;
    }

    /** Returns how long ago the time of that point is. The oldest point is 0. */
    long ageMillis(int point) {
        return untilAgeMillis + (points - 1 - point) * intervalMillis;
    }

    HistoryState of(List<Series> series, List<SeenHistory> ranks) {
        return new HistoryState(intervalMillis, untilMillis, untilAgeMillis,
                series.stream()
                        .map(each -> new SeriesState(each.key(), each.unit().key(), each.isTotal(), null))
                        .toList(),
                ranks.stream().map(each -> of(series, each)).toList());
    }

    private RankSeries of(List<Series> series, SeenHistory seen) {
        RankHistory.@Nullable Point[] at = new RankHistory.Point[points + 1]; // the first serves only to begin a rate
        RankHistory.@Nullable Point[] before = new RankHistory.Point[points + 1];
        place(seen, at, before);
        Map<String, List<@Nullable Double>> values = new LinkedHashMap<>();
        for (Series each : series) {
            List<@Nullable Double> row = new ArrayList<>(points);
            for (int point = 1; point <= points; point++) {
                RankHistory.Point now = at[point];
                row.add(now == null
                        ? null
                        : each.isTotal() ? rate(each, begin(at, before, point), now) : Double.valueOf(now.value(each)));
            }
            values.put(each.key(), Collections.unmodifiableList(row));
        }
        return new RankSeries(seen.rank(), seen.origin(), seen.ageMillis(nowNanos), values);
    }

    /**
     * Adds the bytes that wait to be freed, by the rank whose segment contains them. Also shows ranks that keep no
     * history, if anything was seen in their segments.
     */
    HistoryState of(List<Series> series, List<SeenHistory> ranks, LimboRing limbo, IntPredicate isShown) {
        HistoryState written = of(series, ranks);
        LimboRing.Shown seen = limbo.shown(this, written.ranks().stream().map(RankSeries::rank).toList());
        List<SeriesState> all = new ArrayList<>(written.series());
        all.add(new SeriesState(HistoryState.OWNED_LIMBO_BYTES, Series.Unit.BYTES.key(), false, seen.seenForMillis()));
        Map<Integer, RankSeries> lines = new TreeMap<>();
        written.ranks().forEach(line -> lines.put(line.rank(), line));
        seen.values()
                .keySet()
                .stream()
                .filter(isShown::test)
                .forEach(rank -> lines.computeIfAbsent(rank,
                        _ -> new RankSeries(rank, HistoryState.Origin.WATCHED, seen.ageMillis(), unknown(series))));
        return new HistoryState(intervalMillis, untilMillis, untilAgeMillis, all, lines.values().stream().map(line -> {
            Map<String, List<@Nullable Double>> values = new LinkedHashMap<>(line.values());
            values.put(HistoryState.OWNED_LIMBO_BYTES, seen.values().getOrDefault(line.rank(), unknown()));
            return new RankSeries(line.rank(), line.origin(), line.ageMillis(), values);
        }).toList());
    }

    private Map<String, List<@Nullable Double>> unknown(List<Series> series) {
        Map<String, List<@Nullable Double>> values = new LinkedHashMap<>();
        series.forEach(each -> values.put(each.key(), unknown()));
        return values;
    }

    private List<@Nullable Double> unknown() {
        return Collections.<@Nullable Double>nCopies(points, null);
    }

    /** Finds, for each time, the last point that is not later, and the point before that one. */
    private void place(SeenHistory seen, RankHistory.@Nullable Point[] at, RankHistory.@Nullable Point[] before) {
        List<RankHistory.Point> written = seen.history().points();
        int next = 0;
        for (int point = 0; point <= points; point++) {
            long ageMillis = untilAgeMillis + (points - point) * intervalMillis;
            while (next < written.size() && seen.ageMillis(written.get(next).atMillis(), nowNanos) >= ageMillis) {
                next++;
            }
            if (next > 0) {
                RankHistory.Point last = written.get(next - 1);
                if (seen.ageMillis(last.atMillis(), nowNanos) - ageMillis <= STALE_MILLIS) {
                    at[point] = last;
                    before[point] = next > 1 ? written.get(next - 2) : null;
                }
            }
        }
    }

    /**
     * Returns the point at which the rate at that time begins. This is the point at the time before, or the preceding
     * one if the rank wrote none in between.
     */
    private static RankHistory.@Nullable Point begin(RankHistory.@Nullable Point[] at,
            RankHistory.@Nullable Point[] before, int point) {
        RankHistory.Point earlier = at[point - 1];
        return earlier == null || earlier.equals(at[point]) ? before[point] : earlier;
    }

    /** Returns the rate per second. Returns null if the rank has begun to count anew. */
    private static @Nullable Double rate(Series total, RankHistory.@Nullable Point from, RankHistory.Point to) {
        if (from == null || to.atMillis() <= from.atMillis() || to.value(total) < from.value(total)) {
            return null;
        }
        return (to.value(total) - from.value(total)) * 1_000.0 / (to.atMillis() - from.atMillis());
    }
}
