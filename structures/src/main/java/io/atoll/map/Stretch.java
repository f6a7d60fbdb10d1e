package io.atoll.map;

/**
 * Limits how far one look at some entries of a map goes. The look ends when it has found as many entries as are wanted.
 * It also ends when it has read a bounded number of buckets, however sparse the map is. It begins with few buckets,
 * since most maps are full enough. Then it reads as many buckets as should hold the missing entries, if the next
 * buckets are as full as those before.
 */
final class Stretch {

    /**
     * Buckets of the first read. Like every number of buckets that is read, it makes whole groups and lines in any map.
     */
    public static final long FIRST_BUCKETS = 4L * Placement.FEWEST_BUCKETS;

    public static final long MOST_BUCKETS = 8_192;

    /** Each rank takes at least one read. */
    public static final int MOST_READS = 32;

    private final int wanted;
    private long next = FIRST_BUCKETS;
    private long buckets;
    private int reads;
    private int found;

    public Stretch(int wanted) {
        this.wanted = wanted;
    }

    public boolean goesOn() {
        return found < wanted && buckets < MOST_BUCKETS && reads < MOST_READS;
    }

    /** Returns the number of buckets to read next, at most {@code most}. */
    public long next(long most) {
        return Math.min(next, most);
    }

    /** Counts buckets that were read, and the entries that were found in them. */
    public void add(long read, int entries) {
        reads++;
        buckets += read;
        found += entries;
        next = found == 0
                ? 2 * next
                : Math.ceilDiv(Math.max(1, wanted - found) * buckets / found + 1, Placement.FEWEST_BUCKETS)
                        * Placement.FEWEST_BUCKETS;
    }
}
