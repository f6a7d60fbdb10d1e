package io.atoll.map;

import io.atoll.fabric.Batch;

/**
 * Replaces the values of several keys where their owners find them: one search for each key (6), and what it guards
 * (7). Keys are named by their numbers, as in {@link BulkSearch}.
 */
interface BulkReplacement {

    /** Returns up to how many keys owners look for together. */
    int mostKeys();

    /** Returns how many bytes of the buffer a key takes. */
    long bytes();

    /**
     * Adds what replaces the value of a key that is in this block, and leaves the batch with a guard. Returns the index
     * of the result of (7), which is the state of the bucket before.
     */
    int add(Batch batch, int key, long block, long position);

    /** Returns the offset of the first bucket in which the owner looks. */
    long firstBucket(int key, long block);

    /** Returns the offset of the bucket where the search for the key begins. */
    long home(int key, long block);

    /** Returns true if keys are to be inserted in the same round. A wrong guess costs no more than another round. */
    boolean expectsNewKeys();

    /** Says what is to be expected next time. */
    void expectNewKeys(boolean expected);
}
