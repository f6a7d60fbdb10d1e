package io.atoll.app.isx;

import java.io.Serializable;
import java.util.SplittableRandom;

/**
 * Random keys, spread evenly over a range of which each rank has its share, a bucket.
 *
 * @param each how many of them each rank brings
 */
record Keys(int each, int ranks) implements Serializable {

    static final long RANGE = 1L << Integer.SIZE;

    long all() {
        return (long) each * ranks;
    }

    /** What a bucket must hold: its share of the keys is off by about their number's square root. */
    long capacity(int message) {
        return each + 10 * (long) Math.sqrt(each) + message;
    }

    /** Those that the rank brings. */
    long[] of(int rank) {
        return new SplittableRandom(rank).longs(each, 0, RANGE).toArray();
    }

    static int bucket(long key, int buckets) {
        return (int) (key * buckets / RANGE);
    }
}
