package io.atoll.view;

import io.atoll.view.Electors.Exchange;
import java.util.Collection;
import java.util.Map;

/** The headers of ranks' segments, by verbs. Each call is one round trip to all of them. */
interface Headers {

    /** Returns so many words from the offset on, of the ranks that have answered. */
    Map<Integer, long[]> read(Collection<Integer> ranks, long offset, int words);

    /** Returns what was there, of the ranks that have answered. The exchange of another may have taken place. */
    Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long offset);

    /** Returns why each rank that did not answer at last did not, as far as that is known. */
    default Map<Integer, String> failures() {
        return Map.of();
    }
}
