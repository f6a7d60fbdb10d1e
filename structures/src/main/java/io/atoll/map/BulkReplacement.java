package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.world.Reservations.Undone;

/**
 * Replaces the values of several keys where their owners find them: one search for each key, and what it guards. Keys
 * are named by their numbers, as in {@link BulkSearch}.
 */
abstract class BulkReplacement {

    final BulkSearch search;
    private final int results;

    /** @param results of a key in a batch at most */
    BulkReplacement(BulkSearch search, int results) {
        this.search = search;
        this.results = results;
    }

    /** Returns up to how many keys owners look for together. */
    final int mostKeys() {
        return Batch.ATOMICS / results; // so all guards of an owner lie in one frame of TCP
    }

    /** Returns how many results of a batch a key takes. */
    final int results() {
        return results;
    }

    /** Returns how many bytes of the buffer a key takes. */
    abstract long bytes();

    /**
     * Adds what replaces the value of a key that is in this block, and leaves the batch with a guard. Returns the index
     * of the result of the exchange, which is the state of the bucket before.
     */
    abstract int add(Batch batch, int key, long block, long position);

    /** Returns the offset of the first bucket in which the owner looks. */
    abstract long firstBucket(int key, long block);

    /** Returns the offset of the bucket where the search for the key begins. */
    abstract long home(int key, long block);

    // --- a guess, which costs no more than another round if it is wrong ---

    /** Returns true if owners are to look for the next keys. */
    abstract boolean isWorthwhile();

    /** Returns true if keys are to be inserted in the same round. */
    abstract boolean inserts();

    /** Says if keys were new, to guess what the next ones are. */
    abstract void expectNewKeys(boolean expected);

    /** Returns true if the owner finds the key of a bucket in this state. Else the key is new. */
    abstract boolean finds(long state);

    // --- if a bucket is reserved where it is found ---

    /**
     * Returns true if the exchange reserves the bucket that is found. Then the caller holds the home of a key that it
     * {@linkplain #prepare prepares}, and adds no other key.
     */
    boolean reserves() {
        return false;
    }

    /**
     * Prepares the {@linkplain #undo undoing} of a key, before the key is added.
     *
     * @param position where the key's part of the buffer begins
     */
    void prepare(Batch batch, int key, long block, long position) {
        throw new AssertionError("nothing is reserved: key=" + key);
    }

    /** Undoes what may be reserved for a key where it was found, and ends the hold. */
    Undone undo(int key, int hold) {
        throw new AssertionError("nothing is reserved: key=" + key);
    }
}
