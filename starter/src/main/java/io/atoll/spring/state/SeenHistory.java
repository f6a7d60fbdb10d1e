package io.atoll.spring.state;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import org.jspecify.annotations.Nullable;

/**
 * A rank's history, and its source.
 *
 * @param readAtNanos when it was read, by this process's nanosecond clock
 */
record SeenHistory(RankHistory history, HistoryState.Origin origin, long readAtNanos) {

    /** Returns the same history, marked as that of a rank that cannot be read any more. */
    SeenHistory lost() {
        return new SeenHistory(history, HistoryState.Origin.SEEN, readAtNanos);
    }

    int rank() {
        return history.rank();
    }

    /** Returns how long ago the rank wrote its last point. */
    long ageMillis(long nowNanos) {
        return history.writtenMillisAgo() + Math.max(0, nowNanos - readAtNanos) / 1_000_000;
    }

    /**
     * Returns how long ago that time was. Only the clock of the rank's host tells how much older that time is than the
     * last point.
     */
    long ageMillis(long atMillis, long nowNanos) {
        long lastMillis = history.points().isEmpty() ? atMillis : history.points().getLast().atMillis();
        return ageMillis(nowNanos) + lastMillis - atMillis;
    }

    /** Returns what the rank's process has told of itself; null if it has told nothing. */
    RankHistory.@Nullable Identity identity() {
        RankHistory.Identity identity = history.identity();
        return identity.equals(RankHistory.Identity.UNKNOWN) ? null : identity;
    }

    /** Returns how long the rank's process had been running when the history was read, and until now. */
    long uptimeMillis(long nowNanos) {
        return Math.max(0, ageMillis(history.identity().startedMillis(), nowNanos));
    }

    /** Returns the last value of a series; null if the history has no point. */
    @Nullable Long last(Series series) {
        return history.points().isEmpty() ? null : Long.valueOf(history.points().getLast().value(series));
    }
}
