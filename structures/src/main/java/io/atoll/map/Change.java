package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;

/**
 * An operation's change of the entry of a key. The key stays in the buffer of the owner's batch from when it is looked
 * for until the entry is stored.
 */
abstract class Change {

    /** What becomes of an entry. */
    enum Outcome {
        /** The entry stays as it is. */
        KEEP,
        /** The entry becomes what stands in the batch's buffer. */
        STORE,
        /** The entry has no value any more. */
        REMOVE,
        /** The entry becomes what {@link Change#compute} says, once the bucket is reserved. */
        COMPUTE
    }

    final int owner;
    long first;
    final long hash;

    /** @param first the block in which the key is looked for first */
    Change(int owner, long first, long hash) {
        this.owner = owner;
        this.first = first;
        this.hash = hash;
    }

    /** Makes the search begin in this block from now on, because the thread's pin is a new one. */
    final void searchFrom(long block) {
        first = block;
    }

    /** Returns the thread's batch for the owner, with the key in its buffer. */
    final Batch batchWithKey(Endpoint endpoint) {
        Batch batch = endpoint.batch(owner);
        placeKey(batch);
        return batch;
    }

    /** Puts the key into the batch's buffer, at {@link BucketReader#KEY}. */
    abstract void placeKey(Batch batch);

    /**
     * Decides what becomes of the entry. It is asked before anything is reserved. It is asked anew whenever another
     * thread has changed the entry before this one could.
     *
     * @param living the position in the buffer of the key's value, or {@link BucketReader#NONE}
     */
    abstract Outcome decide(Batch batch, long living);

    /**
     * As {@link #decide}, but it is asked once, while no other thread can change the entry. It may use the table for
     * other keys. If it fails, the entry is left as it is then.
     */
    Outcome compute(Batch batch, long living) {
        throw new AssertionError("decided before: change=" + this);
    }

    /** Puts the value that is to be stored into the batch's buffer, behind the key. */
    abstract void placeValue(Batch batch);

    /** Tells that another thread has changed the entry first: what was placed is stored nowhere. */
    void refused() {
        // What was placed lies in the buffer only.
    }
}
