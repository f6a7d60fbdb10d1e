package io.atoll.view;

import java.util.List;

/** The outcome of a proposal. */
sealed interface ProposalOutcome {

    /**
     * The next view is decided, whichever rank has proposed it.
     *
     * @param viewChange that makes the view
     */
    record Decided(ViewChange viewChange) implements ProposalOutcome {}

    /** A quorum takes part, and none of it has accepted anything: nothing is decided. */
    record Open() implements ProposalOutcome {}

    /** Another rank proposes, too, or has changed a word meanwhile. The result is unknown: propose again. */
    record Beaten() implements ProposalOutcome {}

    /** An elector has taken part in later views: the next view was decided long ago. */
    record Behind() implements ProposalOutcome {}

    /**
     * Too few electors take part.
     *
     * @param missing electors that do not answer, or have lost their memory
     */
    record NoQuorum(List<Integer> missing) implements ProposalOutcome {}
}
