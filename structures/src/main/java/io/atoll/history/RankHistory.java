package io.atoll.history;

import java.util.List;

/**
 * The last minutes of a rank.
 *
 * @param writtenMillisAgo how long ago the rank has written last, by the clocks of both hosts; 0 if they disagree
 * @param points at most one a second, the oldest first
 * @param events the oldest first
 * @param operations as they were written last
 */
public record RankHistory(int rank, Origin origin, RankIdentity identity, long writtenMillisAgo, List<Point> points,
        List<Event> events, StructureOperations operations) {

    public RankHistory {
        points = List.copyOf(points);
        events = List.copyOf(events);
    }
}
