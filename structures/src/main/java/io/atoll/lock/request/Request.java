package io.atoll.lock.request;

import io.atoll.lock.words.Descriptor;

/** One thread's request for a lock, from the moment it has a descriptor until it has given that back. Used by one thread at a time. */
public abstract class Request {

    private final long index;
    private final int owner;
    private final long line;
    private final int descriptor;
    private final long offset;
    private final boolean byCpu;
    private final long name;

    private long waitedSinceNanos; // 0: it has not waited

    /**
     * Claims a descriptor.
     *
     * @param index of the lock in its table
     * @param line where it lies in its owner's segment
     * @param byCpu whether everybody who competes for it atomically with this process does so by the same CPU
     * @throws IllegalStateException when all descriptors are in use
     */
    protected Request(Descriptors descriptors, long index, int owner, long line, boolean byCpu) {
        this.index = index;
        this.owner = owner;
        this.line = line;
        this.descriptor = descriptors.claim();
        this.name = descriptors.name(descriptor);
        this.offset = descriptors.offset(name);
        this.byCpu = byCpu;
    }

    /** Grows with every acquisition of the lock. */
    public abstract long token();

    /** Whether somebody may have died, or have been cut off, while holding the lock, and nobody has been told since. */
    public abstract boolean recovered();

    /** Whether it was handed the lock by the one before, within the budget of its cohort. */
    public boolean isPassed() {
        return false;
    }

    /** Whether it was handed the lock when that budget was spent. */
    public boolean isReacquired() {
        return false;
    }

    /** Of the lock in its table. */
    public final long index() {
        return index;
    }

    /** In whose segment the lock lies. */
    public final int owner() {
        return owner;
    }

    /** Where it lies there. */
    public final long line() {
        return line;
    }

    /** The number of its descriptor. */
    public final int descriptor() {
        return descriptor;
    }

    /** Where the descriptor lies in this rank's segment. */
    final long offset() {
        return offset;
    }

    /** The descriptor as words of locks name it, in the first epoch. */
    public final long name() {
        return name;
    }

    public final boolean isByCpu() {
        return byCpu;
    }

    /** Where the lock lies, as one word. */
    final long pointer() {
        return Descriptor.lock(owner, line);
    }

    /** Notes that it has to wait, unless it has noted that before. */
    public final void waits(long nowNanos) {
        if (waitedSinceNanos == 0) {
            waitedSinceNanos = nowNanos == 0 ? 1 : nowNanos;
        }
    }

    public final boolean hasWaited() {
        return waitedSinceNanos != 0;
    }

    /** For how long by now, if it has. */
    public final long waitedNanos(long nowNanos) {
        return nowNanos - waitedSinceNanos;
    }

    @Override
    public String toString() {
        return "owner=" + owner + " lock=" + index + " descriptor=" + descriptor;
    }
}
