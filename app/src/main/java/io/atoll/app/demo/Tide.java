package io.atoll.app.demo;

import java.util.random.RandomGenerator;

/** When to put something into a structure without bounds, and when to take out: it fills by so much, and is emptied then. One thread uses it. */
final class Tide {

    /** What one rank puts in before it takes everything out, whoever has put it there. */
    static final int HIGH = 64;

    private static final int MOST = 8;

    private int put;
    private boolean falls;

    /** What to do in a step: put in as many, or take out if that is negative. */
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
