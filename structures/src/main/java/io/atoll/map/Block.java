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
 * Offsets are multiples of a cache line. A block in {@link Pieces} has at least two pieces. All are of the same size,
 * each in a run of its own.
 *
 * <p>The search for a key's bucket begins at its home, which the low bits of its hash choose. The high bits choose the
 * rank. Probing is linear, so that one read brings the next candidates, too. First come those of the same group, around
 * the group's end, then group by group. In a block twice as large, a home's keys have two homes, which are neighbours.
 * So a range of hashes is a range of buckets, whatever the size.
 */
final class Block {

    public static final long NONE = 0;

    /**
     * Number of bits of a hash that choose a home. It is that of the largest block whose offsets still fit in a
     * pointer.
     */
    public static final int HOME_BITS = 40;

    /**
     * Number of homes in the largest block. A smaller block has fewer, and each of them stands for a range of these.
     */
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
     * Returns a block whose buckets are in several runs.
     *
     * @param table offset of the table of pieces, a multiple of a cache line
     * @param pieces a power of two, at least two
     */
    public static long inPieces(long table, long buckets, long pieces) {
        assert pieces > 1 && Long.bitCount(pieces) == 1 && pieces <= buckets : "pieces=" + pieces + " buckets="
                + buckets;
        return IN_PIECES | (long) Long.numberOfTrailingZeros(pieces) << PIECES_SHIFT | of(table, buckets);
    }

    /** Returns true if all its buckets are in one run. */
    public static boolean isWhole(long block) {
        return block >= 0;
    }

    /** Returns the number of runs that hold its buckets. */
    public static long pieces(long block) {
        return 1L << (block >>> PIECES_SHIFT & PIECES_MASK);
    }

    /** Returns how many buckets follow each other in memory, beginning with this one. */
    public static long contiguous(long block, long index) {
        long buckets = buckets(block - (block >>> PIECES_SHIFT & PIECES_MASK)); // of a piece
        return buckets - (index & buckets - 1);
    }

    /**
     * Returns the offset of what follows the block's head: the first bucket if the block is
     * {@linkplain #isWhole whole}, else its table of pieces.
     */
    public static long offset(long block) {
        return block & OFFSET_MASK;
    }

    public static long buckets(long block) {
        return 1L << block; // a shift takes no more than the low six bits
    }

    /** Returns the home in the largest block. */
    public static long home(long hash) {
        return hash & HOMES - 1;
    }

    /** Returns how many homes of the largest block are one home of this block. */
    public static long homesPerBucket(long block) {
        return HOMES >>> block;
    }

    public static long home(long block, long hash) {
        return hash << Long.SIZE - HOME_BITS >>> -block;
    }

    /**
     * Returns the bucket that a search from {@code home} reaches after {@code steps} steps. It goes in groups of
     * {@code group} buckets, a power of two, and comes to each bucket once in {@link #buckets} steps.
     */
    public static long bucket(long block, long home, long steps, int group) {
        return (home & -group) + (steps & -group) & buckets(block) - 1 | home + steps & group - 1;
    }
}
