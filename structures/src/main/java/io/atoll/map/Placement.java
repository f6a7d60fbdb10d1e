package io.atoll.map;

import io.atoll.codec.KeyHash;

/**
 * The place where the search for a key's bucket begins. The high bits of its hash choose the rank, the low bits choose
 * the bucket in that rank's block. From there on probing is linear and stays in the block, so that one read brings the
 * next candidates, too. First come those of the same group, around the group's end, then group by group.
 *
 * @param ranks how many ranks hold a block
 * @param buckets of each block, a power of two
 */
record Placement(int ranks, long buckets) {

    /** The load of a table that is filled to its capacity: above it, probing gets long. */
    private static final double HIGHEST_LOAD_FACTOR = 0.75;

    /** The fewest buckets of a block. */
    public static final int FEWEST_BUCKETS = 8;

    /** The buckets of the longest block whose offsets still fit in a pointer. */
    private static final long MOST_BUCKETS = 1L << 40;

    public Placement {
        if (Long.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("a power of two: buckets=" + buckets);
        }
    }

    /** Returns a placement with room for {@code capacity} entries, evenly spread over the ranks. */
    public static Placement forCapacity(int ranks, long capacity) {
        checkCapacity(capacity);
        long share = Math.ceilDiv(capacity, ranks);
        // Hashing spreads unevenly: by about the square root of a share.
        double needed = (share + 3 * Math.sqrt(share)) / HIGHEST_LOAD_FACTOR;
        return new Placement(ranks, Math.max(FEWEST_BUCKETS, Long.highestOneBit((long) Math.ceil(needed) - 1) << 1));
    }

    /** @throws IllegalArgumentException if no map has room for this many entries */
    public static void checkCapacity(long capacity) {
        if (capacity < 1 || capacity > MOST_BUCKETS / 2) {
            throw new IllegalArgumentException("from 1 to " + MOST_BUCKETS / 2 + " entries: capacity=" + capacity);
        }
    }

    public int owner(long hash) {
        return KeyHash.rank(hash, ranks);
    }

    public long home(long hash) {
        return Block.home(block(), hash);
    }

    private long block() {
        return Block.of(0, buckets);
    }

    /** Returns how many groups a search that begins at {@code home} has behind it when it comes to the bucket. */
    public long groups(long home, long bucket, int group) {
        return ((bucket & -group) - (home & -group) & buckets - 1) / group;
    }

    /**
     * Returns the bucket that a search from {@code home} reaches after {@code steps} steps. It goes in groups of
     * {@code group} buckets, a power of two, and comes to each bucket once in {@link #buckets} steps.
     */
    public long bucket(long home, long steps, int group) {
        return Block.bucket(block(), home, steps, group);
    }
}
