package io.atoll.map;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the pieces are of a block that is not {@linkplain Block#isWhole whole}. The table follows the block's head, and never changes.
 * <pre>
 *            +------+---------------------------+         +----------------------+
 *   block -> | head | piece 0 | piece 1 | ...   |    +--> | buckets 0 to n/p - 1 |
 *            +------+----|---------|------------+    |    +----------------------+
 *                        +---------|-----------------+    +----------------------+
 *                                  +--------------------> | buckets n/p to ...   |
 *                                                         +----------------------+
 * </pre>
 */
final class Pieces {

    private final long[] offsets;
    private final int shift; // of a bucket's index: what is left names the piece
    private final long mask; // of a bucket's index: what is left is its place in the piece

    private Pieces(long block, long[] offsets) {
        this.offsets = offsets;
        this.mask = Block.buckets(block) / offsets.length - 1;
        this.shift = Long.bitCount(mask);
    }

    /** Bytes of a table of so many pieces. */
    public static long tableBytes(long pieces) {
        return Layouts.roundUp(pieces * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /**
     * Those of a block that cannot go away meanwhile, or null if it is whole. Cost: R for a block in pieces. Reads into memory of its own, because the thread's batch may be
     * in use by whoever called.
     */
    public static @Nullable Pieces read(Endpoint endpoint, int owner, long block) {
        if (Block.isWhole(block)) {
            return null;
        }
        long[] offsets = new long[(int) Block.pieces(block)];
        endpoint.read(owner, Block.offset(block), MemorySegment.ofArray(offsets), 0, offsets.length * Layouts.WORD);
        return new Pieces(block, offsets);
    }

    /** Where the bucket is with that index. */
    public static long offset(@Nullable Pieces pieces, long block, long index, long bucketBytes) {
        return pieces == null ? Block.offset(block) + index * bucketBytes : pieces.offset(index, bucketBytes);
    }

    private long offset(long index, long bucketBytes) {
        return offsets[(int) (index >>> shift)] + (index & mask) * bucketBytes;
    }

    /** Whether a bucket of the block is there. */
    public static boolean contain(@Nullable Pieces pieces, long block, long offset, long bucketBytes) {
        return pieces == null
                ? isWithin(Block.offset(block), offset, Block.buckets(block) * bucketBytes)
                : Arrays.stream(pieces.offsets)
                        .anyMatch(piece -> isWithin(piece, offset, (pieces.mask + 1) * bucketBytes));
    }

    private static boolean isWithin(long begin, long offset, long bytes) {
        return offset >= begin && offset < begin + bytes;
    }

    /** The runs of the heap in which a block is: that with its head last. */
    public static long[] runs(@Nullable Pieces pieces, long block) {
        long[] runs = pieces == null ? new long[1] : Arrays.copyOf(pieces.offsets, pieces.offsets.length + 1);
        runs[runs.length - 1] = BlockHead.of(block);
        return runs;
    }
}
