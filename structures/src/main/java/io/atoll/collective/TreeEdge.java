package io.atoll.collective;

import org.jspecify.annotations.Nullable;

/**
 * The state of the requests over one bit in this generation, as this rank knows it. It sends requests to the member
 * 2^bit further on, for any root, and receives requests from the member 2^bit before.
 */
final class TreeEdge {

    /** The next step for the request that was received. */
    enum Step {
        PASS_ON, COUNT, ACKNOWLEDGE
    }

    final int bit;
    final int receiver;
    final int sender;

    /** The requests sent. */
    long sent;

    /** The requests sent that the receiver is known to be done with. */
    long acknowledged;

    /** The requests received and done with. */
    long done;

    @Nullable ForwardRequest received;
    Step next = Step.PASS_ON;

    /**
     * @param receiver position of the member further on
     * @param sender position of the member before
     */
    TreeEdge(int bit, int receiver, int sender) {
        this.bit = bit;
        this.receiver = receiver;
        this.sender = sender;
    }

    void beginGeneration() {
        sent = 0;
        acknowledged = 0;
        done = 0;
        finish();
    }

    void finish() {
        received = null;
        next = Step.PASS_ON;
    }
}
