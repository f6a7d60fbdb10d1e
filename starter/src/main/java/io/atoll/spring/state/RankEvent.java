package io.atoll.spring.state;

import io.atoll.history.Event;
import java.util.Locale;

/**
 * An event at a rank.
 *
 * @param rank the rank that has written it down
 * @param sequence the number of the event, as this rank counts its events
 * @param ageMillis how long ago it happened
 * @param kind such as joined, lost, refused, repaired, lock-recovered, stranded, removed, rejoined, view, grown, moved
 * or promise-broken
 * @param subject the rank that the event is about; -1 if it is about none
 * @param text the other details in words
 */
public record RankEvent(int rank, long sequence, long ageMillis, String kind, int subject, String text) {

    static RankEvent of(Event event, int rank, long ageMillis) {
        return new RankEvent(rank, event.sequence(), ageMillis,
                event.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'), event.subject(), event.text());
    }
}
