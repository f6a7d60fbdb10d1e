package io.atoll.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * An agent can take the next step. It is a thread, the verbs that a thread has sent to a rank, or an event that was set
 * for a time.
 */
interface Agent {

    /** The time of an agent that waits for another agent's step. */
    long NEVER = Long.MAX_VALUE;

    /** Returns the time from which on the agent can take its step. */
    long readyNanos();

    /** Takes the step. Returns the thread that goes on in consequence; null if none does. */
    @Nullable SimThread step();

    /** Returns the thread that the step belongs to; null if it belongs to none. */
    @Nullable SimThread thread();

    /** Takes no step before that time. */
    void stall(long untilNanos);
}
