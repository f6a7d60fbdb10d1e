package io.atoll.app.demo;

import java.util.random.RandomGenerator;

/**
 * Decides when a load puts elements into an unbounded structure, and when it takes them out. The structure fills up to
 * a mark and is then emptied. One thread uses it.
 */
final class Tide {

    /**
     * The number of elements that one rank puts in before it takes out all elements, including those of other ranks.
     */
    static final int HIGH = 64;

    private static final int MOST = 8;

    private int put;
    private boolean falls;

    /** Returns how many elements to put in during this step. If negative, the step takes elements out. */
    int next(RandomGenerator random) {
        int many = 1 + random.nextInt(MOST);
        return falls ? -many : many;
    }

    void put() {
        put++;
        falls |= put >= HIGH;
    }

    void foundEmpty() {
        put = 0;
        falls = false;
    }
}
