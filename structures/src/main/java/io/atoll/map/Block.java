package io.atoll.map;

import io.atoll.memory.Layouts;

/**
 * A block of buckets in a rank's segment, as one word.
 * <pre>
 *    63 62        58 57     48 47                             6 5              0
 *   +--+------------+---------+--------------------------------+----------------+
 *   | 0| 0          |    0    | offset of the first bucket     | log2 (buckets) |     whole, all in one run
 *   +--+------------+---------+--------------------------------+----------------+
 *   | 1| log2 (pieces) |   0  | offset of the table of pieces  | log2 (buckets) |     in pieces
 *   +--+------------+---------+--------------------------------+----------------+     all zero: none
 * </pre>
 * Offsets are by line. A block in {@link Pieces} has two of them at least, all as large, each in a run of its own.
 *
 * A key's bucket is looked for from its home on, which the low bits of its hash choose (the high ones choose the rank). Probing is linear, so that one read brings
 * the next candidates, too: those of the same group first, around the group's end, then group by group. Of a block twice as large, a home's keys have two
 * homes, which are neighbours: a range of hashes is a range of buckets, whatever the size.
 */
final class Block {

    public static final long NONE = 0;

    /** Bits of a hash that choose a home: of the largest block whose offsets still fit in a pointer. */
    public static final int HOME_BITS = 40;

    /** As many homes has the largest block. A smaller one has fewer, each of which stands for a range of these. */
    public static final long HOMES = 1L << HOME_BITS;

    private static final long IN_PIECES = 1L << 63;
    private static final int PIECES_SHIFT = 58;
    private static final long PIECES_MASK = 0x1F;
    private static final long OFFSET_MASK = (1L << 48) - Layouts.CACHE_LINE;

    private Block() {}

    /**
     * @param offset a multiple of a cache line
     * @param buckets a power of two
     */
    public static long of(long offset, long buckets) {
        assert offset % Layouts.CACHE_LINE == 0 && Long.bitCount(buckets) == 1 : "offset=" + offset + " buckets="
                + buckets;
        return offset | Long.numberOfTrailingZeros(buckets);
    }

    /**
     * One whose buckets are in several runs.
     *
     * @param table offset of the table of pieces, a multiple of a cache line
     * @param pieces a power of two, at least two
     */
    public static long inPieces(long table, long buckets, long pieces) {
        assert pieces > 1 && Long.bitCount(pieces) == 1 && pieces <= buckets : "pieces=" + pieces + " buckets="
                + buckets;
        return IN_PIECES | (long) Long.numberOfTrailingZeros(pieces) << PIECES_SHIFT | of(table, buckets);
    }

    /** Whether all of its buckets are in one run. */
    public static boolean isWhole(long block) {
        return block >= 0;
    }

    /** In how many runs its buckets are. */
    public static long pieces(long block) {
        return 1L << (block >>> PIECES_SHIFT & PIECES_MASK);
    }

    /** How many buckets follow each other in memory from this one on. */
    public static long contiguous(long block, long index) {
        long buckets = buckets(block) / pieces(block);
        return buckets - (index & buckets - 1);
    }

    /** The offset of the first bucket of a block that is {@linkplain #isWhole whole}, else of its table of pieces: what follows its head. */
    public static long offset(long block) {
        return block & OFFSET_MASK;
    }

    public static long buckets(long block) {
        return 1L << block; // a shift takes no more than the low six bits
    }

    /** Of the largest block. */
    public static long home(long hash) {
        return hash & HOMES - 1;
    }

    /** How many homes of the largest block are one of this. */
    public static long homesPerBucket(long block) {
        return HOMES >>> block;
    }

    public static long home(long block, long hash) {
        return hash << Long.SIZE - HOME_BITS >>> -block;
    }

    /**
     * Where the search that begins at {@code home} comes after so many steps, in groups of a power of two of buckets; each bucket once in {@link #buckets} steps.
     */
    public static long bucket(long block, long home, long steps, int group) {
        return (home & -group) + (steps & -group) & buckets(block) - 1 | home + steps & group - 1;
    }
}
