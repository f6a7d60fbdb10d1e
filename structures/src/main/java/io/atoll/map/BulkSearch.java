package io.atoll.map;

import io.atoll.fabric.Batch;

/**
 * The searches for several keys, each as far as it has come. A round takes some of them further by one batch of reads.
 * Keys are named by their numbers, from 0 on.
 */
interface BulkSearch {

    /** Returns the rank in whose segment the key belongs. */
    int owner(int key);

    long hash(int key);

    /** Begins the search for a key in this block. */
    void begin(int key, long block);

    /**
     * Adds reads to the batch for the first of these keys. It adds as many as fit into the buffer from a position on.
     * Where reads overtake each other it may complete the batch in between. Returns for how many keys it has added
     * reads.
     */
    int read(Batch batch, int[] sought, int count, long position);

    /** Returns how many bytes of the buffer a round takes for a key at most, if there is room. */
    long mostBytes();

    /**
     * Takes the search for a key further, once its reads are complete. Returns the offset of its bucket, or the
     * complement of the offset of the bucket that it is to take. Returns {@link BucketReader#FULL} if there is neither.
     * Returns {@link BucketReader#BEHIND} if what was read does not decide it. Then the next round goes on from there.
     */
    long advance(Batch batch, int key);

    /** Returns the state of the bucket that was found for the key, which was the last one to {@link #advance}. */
    long state(int key);

    /**
     * Goes on behind the free bucket that was found for the key, because another key takes it before. Returns false if
     * it must not: that bucket may become free again.
     */
    boolean pass(int key);
}
