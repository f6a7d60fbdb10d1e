package io.atoll.collective;

import org.jspecify.annotations.Nullable;

/**
 * What this rank knows of the requests over one bit in this era: those that it sends to the member 2^bit further on, for whatever root, and those that it receives
 * from the one 2^bit before.
 */
final class Link {

    /** What is left to do of the request that was received. */
    enum Step {
        PASS_ON, COUNT, ACKNOWLEDGE
    }

    final int bit;
    final int receiver;
    final int sender;

    /** Requests sent. */
    long sent;

    /** Of those, how many the receiver is known to be done with. */
    long acknowledged;

    /** Requests received and done with. */
    long done;

    @Nullable Request received;
    Step next = Step.PASS_ON;

    /** @param receiver and sender: positions */
    Link(int bit, int receiver, int sender) {
        this.bit = bit;
        this.receiver = receiver;
        this.sender = sender;
    }

    void beginEra() {
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
