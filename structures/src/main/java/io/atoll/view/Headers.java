package io.atoll.view;

import io.atoll.view.Electors.Exchange;
import java.util.Collection;
import java.util.Map;

/** The headers of ranks' segments, by verbs. Each call is one round trip to all of them. */
interface Headers {

    /** Returns that many words from the offset on, of the ranks that have answered. */
    Map<Integer, long[]> read(Collection<Integer> ranks, long offset, int words);

    /**
     * Returns the former words of the ranks that have answered. At a rank that has not answered, the exchange may have
     * taken place.
     */
    Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long offset);

    /**
     * Returns why ranks do not answer: for each rank that did not answer the last time, as far as the reason is known.
     */
    default Map<Integer, String> failures() {
        return Map.of();
    }
}
