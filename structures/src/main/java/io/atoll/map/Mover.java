package io.atoll.map;

/**
 * Moves buckets of a table to the block that takes their block's place. In the whole world, one thread at a time moves
 * a bucket. If that thread dies, another one follows and copies anew. A mover never waits for another thread.
 */
interface Mover {

    /**
     * A bucket that is being changed all the time is copied at most this often. Then it waits for the next operation
     * that moves buckets.
     */
    int ATTEMPTS = 16;

    /**
     * Returns true if verbs to this rank are executed at once. Then buckets are to be moved one by one, since a batch
     * saves nothing.
     */
    boolean executesAtOnce(int owner);

    /**
     * Copies what is in a bucket, then makes the bucket final if it is still what was copied.
     *
     * @return true if the bucket is final: no key will ever be found in it, and none put there
     */
    boolean move(int owner, long block, long bucket, long next);

    /**
     * As {@link #move}, for neighbouring buckets of a rank that is reached by a network. Cost: two round trips if all
     * are free. Three if some have keys, or four where the batch decides guards. Two more for keys that are in each
     * other's way, and one more to count.
     *
     * @param begin the first of the buckets; as many as {@link Block#contiguous} says lie in one run
     * @return how many of the buckets, from the first on, are final
     */
    int moveTogether(int owner, long block, long begin, int count, long next);
}
