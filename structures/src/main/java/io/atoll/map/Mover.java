package io.atoll.map;

/** How a table moves one bucket to the block that takes its block's place. */
interface Mover {

    /**
     * Copies what is in the bucket, then makes the bucket final if it is still what was copied. Called by one thread at a time for a bucket, in the whole world; one
     * that died is followed by another, who copies anew. Waits for nobody.
     *
     * @return whether the bucket is final: nothing will ever be found in it, and nothing put there
     */
    boolean move(int owner, long block, long bucket, long next);
}
