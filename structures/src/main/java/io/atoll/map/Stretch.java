package io.atoll.map;

/**
 * How far a look at some entries goes, whatever the map has: it ends when as many are found as are wanted, or when a bounded number of buckets is read. It begins
 * with few buckets, since most maps are full enough. Then it takes as many as the rest will be found in, if entries lie as close there.
 */
final class Stretch {

    /** Whole groups and lines of any map, as all numbers of buckets are that are read. */
    public static final long FIRST_BUCKETS = 4L * Placement.FEWEST_BUCKETS;

    public static final long MOST_BUCKETS = 8_192;

    /** Each rank takes one at least. */
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

    /** How many buckets are to be read next, if no more than so many can be. */
    public long next(long most) {
        return Math.min(next, most);
    }

    /** Counts buckets that were read, and the entries that are in them. */
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
