package io.atoll.fabric.sim;

import org.jspecify.annotations.Nullable;

/** Whoever can take the next step: a thread, what a thread has sent to a rank, or an event that was set for a time. */
interface Agent {

    /** The time of an agent that waits for another one's step. */
    long NEVER = Long.MAX_VALUE;

    /** From when on it can. */
    long readyNanos();

    /** Takes the step. Returns the thread that goes on in consequence, if one does. */
    @Nullable SimThread step();

    /** Whose step it is; null if it is nobody's. */
    @Nullable SimThread thread();

    /** Takes no step before that time. */
    void stall(long untilNanos);
}
