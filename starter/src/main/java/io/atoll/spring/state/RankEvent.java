package io.atoll.spring.state;

import io.atoll.history.Event;
import java.util.Locale;

/**
 * Something that has happened at a rank.
 *
 * @param rank that has written it down
 * @param sequence of this rank's events, as it counts them
 * @param ageMillis how long ago
 * @param kind such as joined, lost, refused, repaired, lock-recovered, stranded, removed, rejoined, view, grown, moved or promise-broken
 * @param subject the rank that it is about; -1 where it is about none
 * @param text the rest in words
 */
public record RankEvent(int rank, long sequence, long ageMillis, String kind, int subject, String text) {

    static RankEvent of(Event event, int rank, long ageMillis) {
        return new RankEvent(rank, event.sequence(), ageMillis,
                event.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'), event.subject(), event.text());
    }
}
