package io.atoll.spring.state;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import java.util.List;
import java.util.Optional;

/** Predicts when a segment will be full if it continues to fill up as in its last minute. */
final class EpochForecast {

    private static final long LOOKED_AT_MILLIS = 60_000;

    /** A shorter history says nothing about the future. */
    private static final long SHORTEST_MILLIS = 10_000;

    private EpochForecast() {}

    /**
     * @param heapBytes the size of the rank's heap
     * @return empty if the rank is not known for long enough. A forecast has no time if the segment does not get fuller
     */
    static Optional<EpochSummary.Forecast> of(RankHistory history, long heapBytes) {
        List<RankHistory.Point> points = history.points();
        if (points.isEmpty()) {
            return Optional.empty();
        }
        RankHistory.Point last = points.getLast();
        RankHistory.Point first = points.stream()
                .filter(point -> last.atMillis() - point.atMillis() <= LOOKED_AT_MILLIS)
                .findFirst()
                .orElse(last);
        long millis = last.atMillis() - first.atMillis();
        if (millis < SHORTEST_MILLIS) {
            return Optional.empty();
        }
        long used = last.value(Series.HEAP_USED_BYTES);
        long grown = used - first.value(Series.HEAP_USED_BYTES);
        return Optional.of(new EpochSummary.Forecast(history.rank(),
                grown <= 0 ? null : Math.round((double) Math.max(0, heapBytes - used) * millis / grown)));
    }
}
