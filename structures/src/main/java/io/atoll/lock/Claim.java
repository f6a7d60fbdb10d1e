package io.atoll.lock;

import io.atoll.memory.LocalMemory;

/** What a thread has a lock by, or wants it by: one turn of a descriptor. */
abstract class Claim {

    private final LocalMemory own;

    /** What it is made by. A field: see {@link OwnDescriptor#abandoned}. */
    public final OwnDescriptor mine;

    private final long descriptor;
    private final long index;
    private final long turn;

    /**
     * @param own where descriptors of this process lie
     * @param mine the descriptor
     * @param descriptor where that lies there
     * @param index of the lock in its table
     * @param turn of the descriptor
     */
    protected Claim(LocalMemory own, OwnDescriptor mine, long descriptor, long index, long turn) {
        this.own = own;
        this.mine = mine;
        this.descriptor = descriptor;
        this.index = index;
        this.turn = turn;
    }

    /** Grows with every acquisition of the lock. */
    public abstract long token();

    /** Whether somebody may have died, or have been cut off, while holding the lock, and nobody has been told since. */
    public boolean recovered() {
        return false;
    }

    /** This process's own. */
    public final LocalMemory own() {
        return own;
    }

    /** Of the lock in its table. */
    public final long index() {
        return index;
    }

    /** Of its descriptor. */
    public final long turn() {
        return turn;
    }

    /** Notes which key the lock is held for, for messages. Its thread calls this. */
    public final void noteKey(Object key) {
        mine.noteKey(turn, key);
    }

    /** As {@link #noteKey(Object)}; allocates nothing. */
    public final void noteKey(long key) {
        mine.noteKey(turn, key);
    }

    /** Notes that another thread may release it: its thread may wait for the lock from now on. */
    public final void detach() {
        mine.detach(turn);
    }

    // --- in its descriptor ---

    /** Where that lies in this rank's segment. */
    final long descriptor() {
        return descriptor;
    }

    public final boolean isHolding() {
        return isIn(Phase.HOLDING);
    }

    /** Whether its turn lasts and is in that phase. */
    public final boolean isIn(long kind) {
        return own.getAcquire(descriptor + Descriptor.PHASE) == Phase.of(turn, kind);
    }

    /** (leave) Whether this is who is to release what it holds: one of all threads that try in this way. */
    public final boolean releases() {
        long holding = Phase.of(turn, Phase.HOLDING);
        return own.compareAndExchange(descriptor + Descriptor.PHASE, holding,
                Phase.of(turn, Phase.RELEASING)) == holding;
    }

    /** Who has told it that it comes after it. */
    public final long next() {
        return own.getAcquire(descriptor + Descriptor.NEXT);
    }

    /** It is over, and the descriptor another's. */
    public final void end() {
        own.setRelease(descriptor + Descriptor.PHASE, Phase.of(turn + 1, Phase.IDLE));
    }

    @Override
    public String toString() {
        return "lock=" + index + " descriptor=" + descriptor + " turn=" + turn;
    }
}
