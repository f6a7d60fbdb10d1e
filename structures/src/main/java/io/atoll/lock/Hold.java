package io.atoll.lock;

import io.atoll.memory.LocalMemory;
import java.time.Duration;

/**
 * One turn of a descriptor, by which a thread has a lock or wants it. A hold knows how its lock is released. Any thread
 * may release it.
 */
abstract class Hold {

    private final LocalMemory own;

    /** The descriptor of this hold. A field, not a method: see {@link OwnDescriptor#abandoned}. */
    public final OwnDescriptor mine;

    private final long descriptor;
    private final long index;
    private final long turn;

    /**
     * @param own the memory that holds the descriptors of this process
     * @param mine the descriptor
     * @param descriptor the offset of the descriptor in that memory
     * @param index of the lock in its table
     * @param turn of the descriptor
     */
    protected Hold(LocalMemory own, OwnDescriptor mine, long descriptor, long index, long turn) {
        this.own = own;
        this.mine = mine;
        this.descriptor = descriptor;
        this.index = index;
        this.turn = turn;
    }

    /** Returns the token. It grows with every acquisition of the lock. */
    public abstract long token();

    /** Returns the incarnation of the lock's owner in which the segment that holds the lock was made. */
    public abstract int born();

    /** Returns the token that the holder shows to resources outside of this world. */
    public final long fencingToken() {
        return FencingToken.of(born(), token());
    }

    /** Returns the lock as one word. */
    public final long lock() {
        return Descriptor.lock(born(), index);
    }

    /** Returns true if a holder may have died or been cut off with the lock, which no holder was told. */
    public boolean recovered() {
        return false;
    }

    /** Counts the acquisition. Called by the thread that has just acquired the lock. */
    public abstract void count(Counter counter);

    // --- the end ---

    /**
     * Releases the lock. Returns true if this call did it, false if it was released before. Never fails: what cannot be
     * done at once is done as soon as possible.
     */
    public abstract boolean release();

    /**
     * Releases the lock by force. The next holder is told that what the lock guards may have been left half-done, as
     * after a death. Returns false if the lock was released before.
     *
     * @param patience the longest wait for another thread of this process that has just asked for the lock
     * @throws io.atoll.failure.FabricException if the owner cannot be reached, or the next thread does not go on. The
     * lock is held as before
     */
    public abstract boolean revoke(Duration patience);

    /** Returns true if the lock was lost with its owner's segment. Another lock has its index now. */
    public abstract boolean isLost();

    /** Returns true if the lock has not been released and is not lost. */
    public final boolean isHeld() {
        return isHolding() && !isLost();
    }

    /**
     * Releases the lock for a caller.
     *
     * @throws io.atoll.failure.SegmentLostException the first time, if the lock was lost before
     */
    public void close() {
        release();
    }

    // --- what it is ---

    /** Returns this process's own memory. */
    public final LocalMemory own() {
        return own;
    }

    /** Returns the index of the lock in its table. */
    public final long index() {
        return index;
    }

    /** Returns the turn of the descriptor. */
    public final long turn() {
        return turn;
    }

    /** Notes the key for which the lock is held. Messages name it. Called by the hold's thread. */
    public final void noteKey(Object key) {
        mine.noteKey(turn, key);
    }

    /** As {@link #noteKey(Object)}; allocates nothing. */
    public final void noteKey(long key) {
        mine.noteKey(turn, key);
    }

    /** Notes that another thread may release the lock. From now on the hold's thread may wait for the lock. */
    public final void detach() {
        mine.detach(turn);
    }

    // --- in the descriptor ---

    /** Returns the offset of the descriptor in this rank's segment. */
    final long descriptor() {
        return descriptor;
    }

    public final boolean isHolding() {
        return isIn(Phase.HOLDING);
    }

    /** Returns true if the turn lasts and is in that phase. */
    public final boolean isIn(long kind) {
        return own.getAcquire(descriptor + Descriptor.PHASE) == Phase.of(turn, kind);
    }

    /** (leave) Returns true if the caller must release the lock. If several threads try in this way, one gets true. */
    public final boolean releases() {
        long holding = Phase.of(turn, Phase.HOLDING);
        return own.compareAndExchange(descriptor + Descriptor.PHASE, holding,
                Phase.of(turn, Phase.RELEASING)) == holding;
    }

    /** Returns the link that the successor has written. */
    public final long next() {
        return own.getAcquire(descriptor + Descriptor.NEXT);
    }

    /** Ends the turn. Another hold may use the descriptor from now on. */
    public final void end() {
        own.setRelease(descriptor + Descriptor.PHASE, Phase.of(turn + 1, Phase.IDLE));
    }

    @Override
    public String toString() {
        return "lock=" + index + " descriptor=" + descriptor + " turn=" + turn;
    }
}
