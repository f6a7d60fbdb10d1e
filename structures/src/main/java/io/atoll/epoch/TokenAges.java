package io.atoll.epoch;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How long tokens have been pinned, at least: since this process first saw the announcement that it still sees. Reading
 * a clock at each pin would cost more than the pin. A pin goes on if it is kept after its operation, and if the next
 * one of the token begins in its epoch.
 */
final class TokenAges {

    private record Place(int rank, int index) {}

    private record Sight(long announcement, long sinceNanos) {}

    private final ConcurrentMap<Place, Sight> sights = new ConcurrentHashMap<>();

    public Duration age(int rank, int index, long announcement, long nowNanos) {
        Place place = new Place(rank, index);
        if (!Announcement.isPinned(announcement)) {
            sights.remove(place);
            return Duration.ZERO;
        }
        Sight sight = sights.compute(place,
                (any, known) -> new Sight(announcement,
                        known != null && goesOn(known.announcement, announcement) ? known.sinceNanos : nowNanos));
        return Duration.ofNanos(Math.max(0, nowNanos - sight.sinceNanos));
    }

    private static boolean goesOn(long before, long announcement) {
        boolean isKept = Announcement.isKept(before) || Announcement.isKept(announcement);
        return before == announcement || isKept && Announcement.epoch(before) == Announcement.epoch(announcement);
    }
}
