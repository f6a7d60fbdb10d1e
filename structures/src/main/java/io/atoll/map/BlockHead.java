package io.atoll.map;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * The head of a block that can be replaced, which stands before its buckets. Also the header of a map at each rank.
 * <pre>
 *     head  0        8          16                      64         128             576
 *           +--------+----------+--------+---------------+----------+------//-------+-------------
 *           |  next  | previous | counts |               | stripe 0 |  stripes 1-7  |  buckets ...
 *           +--------+----------+--------+---------------+----------+------//-------+-------------
 *
 *   stripe  0          8                           header  0         8
 *           +----------+---------+                         +---------+---------+
 *           | frontier |  lease  |                         | current | version |
 *           +----------+---------+                         +---------+---------+
 *
 *   counts  63          32 31           0      lease  63          48 47    32 31       0
 *           +-------------+-------------+             +-------------+--------+---------+
 *           |   claimed   |   living    |             | incarnation |  rank  | attempt |     all zero: nobody's
 *           +-------------+-------------+             +-------------+--------+---------+
 * </pre>
 * In a block that is not {@linkplain Block#isWhole whole}, the table of its {@link Pieces} stands in place of the
 * buckets.
 *
 * <p>Next is the {@link Block} that takes this one's place; it is set once. Previous is the block whose place this one
 * has taken, until that is retired. Counts are of those keys for which {@link #isCounted} is true. They are signed,
 * because a death can leave them a little wrong.
 *
 * <p>A stripe is one eighth of the buckets, and threads move different stripes at the same time ({@link Migration}).
 * All buckets of a stripe before its frontier are final: they were moved. The lease names the attempt that moves
 * buckets of the stripe now.
 *
 * <p>Version is how often this rank has been told that a block was replaced, at any rank. At the beginning of each
 * operation, a rank's CPU loads the version from the map's header in its own segment. Only atomics of the fabric change
 * it.
 */
final class BlockHead {

    public static final int STRIPES = 8;

    public static final long LIVING = 1;
    public static final long CLAIMED = 1L << 32;

    private static final StructLayout STRIPE = MemoryLayout.structLayout( //
            Layouts.word("frontier"), //
            Layouts.word("lease"), //
            Layouts.padToCacheLine(2 * Layouts.WORD));
    private static final StructLayout HEAD = MemoryLayout.structLayout( //
            Layouts.word("next"), //
            Layouts.word("previous"), //
            Layouts.word("counts"), //
            Layouts.padToCacheLine(3 * Layouts.WORD), //
            MemoryLayout.sequenceLayout(STRIPES, STRIPE).withName("stripes"));
    private static final StructLayout HEADER = MemoryLayout.structLayout( //
            Layouts.word("current"), //
            Layouts.word("version"), //
            Layouts.padToCacheLine(2 * Layouts.WORD));

    public static final long NEXT = Layouts.offsetOf(HEAD, "next");
    public static final long PREVIOUS = Layouts.offsetOf(HEAD, "previous");
    public static final long COUNTS = Layouts.offsetOf(HEAD, "counts");
    public static final long BYTES = HEAD.byteSize();

    public static final long FRONTIER = Layouts.offsetOf(STRIPE, "frontier");
    public static final long LEASE = Layouts.offsetOf(STRIPE, "lease");

    public static final long CURRENT = Layouts.offsetOf(HEADER, "current");
    public static final long VERSION = Layouts.offsetOf(HEADER, "version");
    public static final long HEADER_BYTES = HEADER.byteSize();

    private static final int COUNTED_SHIFT = Block.HOME_BITS;
    private static final long BUCKETS_PER_RATE = 128; // at least some ninety keys are counted in a full block
    private static final long HIGHEST_RATE = 64;

    private BlockHead() {}

    /** Returns the offset of a block's head. */
    public static long of(long block) {
        return Block.offset(block) - BYTES;
    }

    public static long stripe(int number) {
        return Layouts.offsetOf(HEAD, "stripes") + number * STRIPE.byteSize();
    }

    /** Returns the number of keys of which one is counted. */
    public static long rate(long block) {
        return Math.clamp(Block.buckets(block) / BUCKETS_PER_RATE, 1, HIGHEST_RATE);
    }

    public static boolean isCounted(long block, long hash) {
        return (hash >>> COUNTED_SHIFT & rate(block) - 1) == 0;
    }

    /** Returns about how many entries have a value. */
    public static long living(long block, long counts) {
        return (int) counts * rate(block);
    }

    /** Returns about how many buckets have a key. */
    public static long claimed(long block, long counts) {
        return (counts - (int) counts >> 32) * rate(block);
    }
}
