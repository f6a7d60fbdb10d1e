package io.atoll.app.isx;

import java.io.Serializable;
import java.util.SplittableRandom;

/**
 * Random keys, spread evenly over a range. Each rank has a share of the range, its bucket.
 *
 * @param each the number of keys that each rank brings
 */
record Keys(int each, int ranks) implements Serializable {

    static final long RANGE = 1L << Integer.SIZE;

    long all() {
        return (long) each * ranks;
    }

    /**
     * Returns the number of keys that a bucket must have room for. What it receives differs from an even share by about
     * the share's square root.
     */
    long capacity(int message) {
        return each + 10 * (long) Math.sqrt(each) + message;
    }

    /** Returns the keys that the rank brings. */
    long[] of(int rank) {
        return new SplittableRandom(rank).longs(each, 0, RANGE).toArray();
    }

    static int bucket(long key, int buckets) {
        return (int) (key * buckets / RANGE);
    }
}
