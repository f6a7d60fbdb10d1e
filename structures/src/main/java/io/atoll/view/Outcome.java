package io.atoll.view;

import java.util.List;

/** The outcome of a proposal. */
sealed interface Outcome {

    /**
     * The next view is decided, whichever rank has proposed it.
     *
     * @param change that makes the view
     */
    record Decided(Change change) implements Outcome {}

    /** A quorum takes part, and none of it has accepted anything: nothing is decided. */
    record Open() implements Outcome {}

    /** Another rank proposes, too, or has changed a word meanwhile. The result is unknown: propose again. */
    record Beaten() implements Outcome {}

    /** An elector has taken part in later views: the next view was decided long ago. */
    record Behind() implements Outcome {}

    /**
     * Too few electors take part.
     *
     * @param missing electors that do not answer, or have lost their memory
     */
    record NoQuorum(List<Integer> missing) implements Outcome {}
}
