package io.atoll.spring.state;

import io.atoll.history.RankHistory;

/**
 * The history of a rank, and whence it is known.
 *
 * @param readAtNanos when it was read, by this process's clock of nanoseconds
 */
record SeenHistory(RankHistory history, HistoryState.Origin origin, long readAtNanos) {

    /** The same of a rank that cannot be read any more. */
    SeenHistory lost() {
        return new SeenHistory(history, HistoryState.Origin.SEEN, readAtNanos);
    }

    int rank() {
        return history.rank();
    }

    /** How long ago the rank has written its last point. */
    long ageMillis(long nowNanos) {
        return history.writtenMillisAgo() + Math.max(0, nowNanos - readAtNanos) / 1_000_000;
    }

    /** How long ago that was, for the clock of the rank's host alone tells how much older than the last point it is. */
    long ageMillis(long atMillis, long nowNanos) {
        long lastMillis = history.points().isEmpty() ? atMillis : history.points().getLast().atMillis();
        return ageMillis(nowNanos) + lastMillis - atMillis;
    }
}
