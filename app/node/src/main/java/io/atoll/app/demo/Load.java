package io.atoll.app.demo;

import java.util.random.RandomGenerator;

/**
 * Uses one structure, whose name begins with {@code demo-}. The structure takes no more than some hundred KiB, however
 * often the load runs, and however many ranks run it. One thread uses a load.
 */
interface Load {

    /** Does about ten operations. Opens the structure first if it is not open. */
    void step(RandomGenerator random) throws InterruptedException;
}
