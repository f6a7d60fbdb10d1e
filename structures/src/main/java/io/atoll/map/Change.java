package io.atoll.map;

import io.atoll.fabric.Batch;

/** An operation's change of the entry of a key. */
abstract class Change {

    final int owner;
    long first;
    final long hash;

    /** @param first the block in which the key is looked for first */
    protected Change(int owner, long first, long hash) {
        this.owner = owner;
        this.first = first;
        this.hash = hash;
    }

    /** Makes the search begin in this block from now on, because the thread's pin is a new one. */
    protected final void searchFrom(long block) {
        first = block;
    }

    /**
     * Decides what becomes of the entry. It is asked before anything is reserved. It is asked anew whenever another
     * thread has changed the entry before this one could.
     *
     * @param living the position in the buffer of the key's value, or {@link BucketTable#NONE}
     */
    protected abstract Outcome decide(Batch batch, long living);

    /**
     * As {@link #decide}, but it is asked once, while no other thread can change the entry. It may use the table for
     * other keys. If it fails, the entry is left as it is then.
     */
    protected Outcome compute(Batch batch, long living) {
        throw new AssertionError("decided before: change=" + this);
    }

    /** Puts the key into the batch's buffer, before it is looked for. */
    protected abstract void placeKey(Batch batch);

    /** Puts key and value into the batch's buffer, before they are stored. */
    protected abstract void place(Batch batch);

    /** Tells that another thread has changed the entry first: what was placed is stored nowhere. */
    protected void refused() {
        // What was placed lies in the buffer only.
    }
}
