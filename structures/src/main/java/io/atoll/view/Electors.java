package io.atoll.view;

import java.util.Collection;
import java.util.Map;

/** The words of electors, by the verbs of a fabric. Each call is one round trip to all of them. */
interface Electors {

    /**
     * An exchange of one elector's word.
     *
     * @param expected the word takes the value if it is this
     */
    record Exchange(long expected, long value) {}

    /** Returns the words of those that have answered. */
    Map<Integer, Long> read(Collection<Integer> electors, long view);

    /** Returns what was there, of those that have answered. The exchange of another may have taken place. */
    Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long view);
}
