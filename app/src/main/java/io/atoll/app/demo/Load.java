package io.atoll.app.demo;

import java.util.random.RandomGenerator;

/**
 * Uses one structure, whose name begins with {@code demo-}. However often it does, and however many ranks do the same, the structure takes no more than some hundred KiB. One thread uses
 * it.
 */
interface Load {

    /** Does some operations, ten or so, and opens the structure if it is not. */
    void step(RandomGenerator random) throws InterruptedException;
}
