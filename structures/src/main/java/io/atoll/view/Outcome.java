package io.atoll.view;

import java.util.List;

/** What has come of a proposal. */
sealed interface Outcome {

    /**
     * The next view is decided, whoever has proposed it.
     *
     * @param change that makes it
     */
    record Decided(Change change) implements Outcome {}

    /** A quorum takes part, and none of it has accepted anything: nothing is decided. */
    record Open() implements Outcome {}

    /** Another rank proposes, too, or has changed a word meanwhile. Nothing is known: propose again. */
    record Beaten() implements Outcome {}

    /** An elector has taken part in later views: the next one was decided long ago. */
    record Behind() implements Outcome {}

    /**
     * Too few electors take part.
     *
     * @param missing that do not answer, or have lost their memory
     */
    record NoQuorum(List<Integer> missing) implements Outcome {}
}
