package io.atoll.epoch;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How long tokens have been pinned, at least: since this process first saw the announcement that it still sees. Reading
 * a clock at each pin would cost more than the pin. A pin goes on if it is kept after its operation, and if the next
 * one of the token begins in its epoch. Looks may miss that it was kept in between. So it also goes on if the next one
 * begins in an epoch that was not the world's any more at the look before.
 */
final class TokenAges {

    private record Place(int rank, int index) {}

    private record Sight(long announcement, boolean blocks, long sinceNanos) {}

    private final ConcurrentMap<Place, Sight> sights = new ConcurrentHashMap<>();

    /** @param epoch of the world */
    public Duration age(int rank, int index, long announcement, long epoch, long nowNanos) {
        Place place = new Place(rank, index);
        if (!Announcement.isPinned(announcement)) {
            sights.remove(place);
            return Duration.ZERO;
        }
        Sight sight = sights.compute(place,
                (any, known) -> new Sight(announcement, Announcement.blocks(announcement, epoch),
                        known != null && goesOn(known, announcement) ? known.sinceNanos : nowNanos));
        return Duration.ofNanos(Math.max(0, nowNanos - sight.sinceNanos));
    }

    private static boolean goesOn(Sight before, long announcement) {
        boolean mayBeKept = before.blocks || Announcement.isKept(before.announcement)
                || Announcement.isKept(announcement);
        return before.announcement == announcement
                || mayBeKept && Announcement.epoch(before.announcement) == Announcement.epoch(announcement);
    }
}
