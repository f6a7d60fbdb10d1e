package io.atoll.lock;

/** The outcome of a demand to end a hold by force. */
public enum ForcedUnlock {
    /**
     * The demand has ended the hold of that token. The next holder of the lock is
     * {@linkplain io.atoll.lock.Acquisition#recovered() told}.
     */
    DONE,
    /** A thread holds the lock by another token. Nothing was changed. */
    HOLDER_CHANGED,
    /** No thread holds the lock. Nothing was changed. */
    NOT_HELD,
    /**
     * The holder's process has not answered in time, or cannot be reached. The demand is taken back. The hold may have
     * ended at that very moment, or if a connection broke. A caller that looks at the lock again sees whether it has.
     */
    HOLDER_SILENT
}
