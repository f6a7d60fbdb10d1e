package io.atoll.lock;

/** How the ranks agree on who has a lock. */
public enum LockAlgorithm {

    /** The owner's threads by the CPU, all others by the fabric: a queue for each, and Peterson's algorithm between the two (ALock). */
    ALOCK,

    /** One queue for all, the owner goes through the fabric as well (Mellor-Crummey and Scott; the competitor of ALock, section 6). */
    MCS
}
