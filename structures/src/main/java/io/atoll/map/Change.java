package io.atoll.map;

import io.atoll.fabric.Batch;

/** What an operation does with the entry of a key. */
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

    /** From now on the search begins in this block: the thread's pin is a new one. */
    protected final void searchFrom(long block) {
        first = block;
    }

    /**
     * Says what becomes of the entry. Asked before anything is reserved, and anew whenever another has changed the entry before this one could.
     *
     * @param living the position in the buffer of the key's value, or {@link BucketTable#NONE}
     */
    protected abstract Outcome decide(Batch batch, long living);

    /** Likewise, asked once, while nobody else can change the entry. May use the table for other keys, and fail: the entry is left as it is then. */
    protected Outcome compute(Batch batch, long living) {
        throw new AssertionError("decided before: change=" + this);
    }

    /** Puts the key into the batch's buffer, before it is looked for. */
    protected abstract void placeKey(Batch batch);

    /** Puts key and value into the batch's buffer, before they are stored. */
    protected abstract void place(Batch batch);

    /** Another has changed the entry first: what was placed is stored nowhere. */
    protected void refused() {
        // It lies in the buffer only.
    }
}
