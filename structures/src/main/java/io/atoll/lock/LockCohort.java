package io.atoll.lock;

/** The threads that reach a lock in the same way. */
public enum LockCohort {
    /** The owner's threads. */
    LOCAL,
    /** Threads of other ranks. */
    REMOTE
}
