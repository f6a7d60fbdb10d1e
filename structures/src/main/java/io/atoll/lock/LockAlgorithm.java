package io.atoll.lock;

/** How the ranks agree on who has a lock. */
public enum LockAlgorithm {

    /** The owner's threads by the CPU, all others by the fabric: a queue for each, and Peterson's algorithm between the two (ALock). */
    ALOCK,

    /** One queue for all, the owner goes through the fabric as well (Mellor-Crummey and Scott; the competitor of ALock, section 6). */
    MCS,

    /**
     * Everybody tries again until the lock is free, the owner goes through the fabric as well (the other competitor of ALock). Nobody waits in order: under contention some may wait for
     * long.
     */
    SPIN
}
