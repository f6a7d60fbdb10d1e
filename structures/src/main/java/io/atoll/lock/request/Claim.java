package io.atoll.lock.request;

/** What a thread has a lock by, or wants it by: one turn of a descriptor. */
public abstract class Claim {

    private final long index;
    private final long claimed;

    /**
     * @param index of the lock in its table
     * @param claimed the {@linkplain Descriptors#claim descriptor}
     */
    protected Claim(long index, long claimed) {
        this.index = index;
        this.claimed = claimed;
    }

    /** Grows with every acquisition of the lock. */
    public abstract long token();

    /** Whether somebody may have died, or have been cut off, while holding the lock, and nobody has been told since. */
    public boolean recovered() {
        return false;
    }

    /** Of the lock in its table. */
    public final long index() {
        return index;
    }

    /** The number of its descriptor. */
    public final int descriptor() {
        return Descriptors.index(claimed);
    }

    /** The descriptor and its turn. */
    public final long claimed() {
        return claimed;
    }

    /** Of its descriptor. */
    public final long turn() {
        return Descriptors.turn(claimed);
    }

    @Override
    public String toString() {
        return "lock=" + index + " descriptor=" + descriptor();
    }
}
