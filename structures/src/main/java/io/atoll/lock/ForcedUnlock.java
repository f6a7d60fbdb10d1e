package io.atoll.lock;

/** What has become of a demand to end a hold by force. */
public enum ForcedUnlock {
    /** The hold of that token has ended by the demand. Whoever has the lock next is {@linkplain io.atoll.lock.Acquisition#recovered() told}. */
    DONE,
    /** Somebody holds the lock by another token: nothing was changed. */
    HOLDER_CHANGED,
    /** Nobody holds the lock: nothing was changed. */
    NOT_HELD,
    /**
     * The holder's process has not answered in time, or cannot be reached. The demand is taken back. It may have been met at that very moment, or if a connection broke: whoever looks again sees that.
     */
    HOLDER_SILENT
}
