package io.atoll.lock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a thread asks for a lock that it holds itself, mostly by another key of the same lock. It would wait for
 * ever.
 */
final class HeldByThisThread extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1;

    private final long index;
    private final transient @Nullable Object heldFor;

    /** @param heldFor the key for which the thread holds it; null if that is not known */
    HeldByThisThread(long index, @Nullable Object heldFor) {
        super("this thread holds the lock already: lock=" + index);
        this.index = index;
        this.heldFor = heldFor;
    }

    /**
     * Returns the exception that the caller gets.
     *
     * @param wantedFor the key for which the thread asked for it; null if that is not known
     */
    public IllegalMonitorStateException of(String table, @Nullable Object wantedFor) {
        var told = new IllegalMonitorStateException(
                "this thread holds the lock already and would wait for itself: table=" + table + " lock=" + index
                        + part("heldKey", heldFor) + part("wantedKey", wantedFor)
                        + ". Keys share locks: lock several keys together by lockAll, or use asLock, which is "
                        + "reentrant. If another thread is to release the lock, call Acquisition.detach first");
        told.initCause(this);
        return told;
    }

    private static String part(String name, @Nullable Object key) {
        return key == null ? "" : " " + name + "=" + key;
    }
}
