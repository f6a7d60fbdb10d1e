package io.atoll.history;

import java.util.List;

/**
 * The part of a history that was read so far.
 *
 * @param born of the block
 * @param identityCount when the identity was read
 * @param pointCount the number of points that there were
 * @param eventCount the number of events that there were
 * @param points with the highest numbers below the count, without those that were written over
 * @param events likewise
 * @param operationCount when the operations were read
 */
record KnownHistory(long born, long identityCount, RankHistory.Identity identity, long writtenMillis, long pointCount,
        long eventCount, List<RankHistory.Point> points, List<Event> events, long operationCount,
        RankHistory.Operations operations) {

    RankHistory history(int rank, RankHistory.Origin origin, long nowMillis) {
        return new RankHistory(rank, origin, identity, Math.max(0, nowMillis - writtenMillis), points, events,
                operations);
    }
}
