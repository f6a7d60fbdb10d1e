package io.atoll.lock;

/** The way in which the ranks agree on the holder of a lock. */
public enum LockAlgorithm {

    /**
     * The owner's threads use the CPU, all others the fabric. Each of the two groups has a queue, and Peterson's
     * algorithm decides between them (ALock).
     */
    ALOCK,

    /**
     * One queue for all threads; the owner goes through the fabric as well. This is a competitor of ALock in its
     * section 6 (Mellor-Crummey and Scott).
     */
    MCS,

    /**
     * Every thread tries again until the lock is free; the owner goes through the fabric as well. This is the other
     * competitor of ALock. Threads do not wait in order: under contention a thread may wait for long.
     */
    SPIN
}
