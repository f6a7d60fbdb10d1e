package io.atoll.view;

import java.util.Collection;
import java.util.Map;

/** The words of electors, by the verbs of a fabric. Each call is one round trip to all of them. */
interface Electors {

    /**
     * An exchange of one elector's word.
     *
     * @param expected the word takes the value only if it is this
     */
    record Exchange(long expected, long value) {}

    /** Returns the words of the electors that have answered. */
    Map<Integer, Long> read(Collection<Integer> electors, long view);

    /**
     * Returns the former words of the electors that have answered. At an elector that has not answered, the exchange
     * may have taken place.
     */
    Map<Integer, Long> exchange(Map<Integer, Exchange> exchanges, long view);
}
