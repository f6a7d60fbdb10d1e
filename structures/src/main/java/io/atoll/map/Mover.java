package io.atoll.map;

/** Moves one bucket of a table to the block that takes its block's place. */
interface Mover {

    /**
     * Copies what is in the bucket, then makes the bucket final if it is still what was copied. In the whole world, one
     * thread at a time calls it for a bucket. If that thread dies, another one follows and copies anew. It never waits.
     *
     * @return true if the bucket is final: no key will ever be found in it, and none put there
     */
    boolean move(int owner, long block, long bucket, long next);
}
