package io.atoll.map;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The places of the pieces of a block that is not {@linkplain Block#isWhole whole}. The table follows the block's head,
 * and never changes.
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
    private final int shift; // takes a bucket's index to the number of its piece
    private final long mask; // takes a bucket's index to its place in the piece

    private Pieces(long block, long[] offsets) {
        this.offsets = offsets;
        this.mask = Block.buckets(block) / offsets.length - 1;
        this.shift = Long.bitCount(mask);
    }

    /** Returns the bytes of a table of {@code pieces} pieces. */
    public static long tableBytes(long pieces) {
        return Layouts.roundUp(pieces * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /**
     * Returns the pieces of a block that cannot go away meanwhile, or null if it is whole. Cost: R for a block in
     * pieces. It reads into memory of its own, because the caller may be using the thread's batch.
     */
    public static @Nullable Pieces read(Endpoint endpoint, int owner, long block) {
        if (Block.isWhole(block)) {
            return null;
        }
        long[] offsets = new long[(int) Block.pieces(block)];
        endpoint.read(owner, Block.offset(block), MemorySegment.ofArray(offsets), 0, offsets.length * Layouts.WORD);
        return new Pieces(block, offsets);
    }

    /** Returns the offset of the bucket with that index. */
    public static long offset(@Nullable Pieces pieces, long block, long index, long bucketBytes) {
        return pieces == null ? Block.offset(block) + index * bucketBytes : pieces.offset(index, bucketBytes);
    }

    private long offset(long index, long bucketBytes) {
        return offsets[(int) (index >>> shift)] + (index & mask) * bucketBytes;
    }

    /** Returns true if a bucket of the block lies at that offset. */
    public static boolean contain(@Nullable Pieces pieces, long block, long offset, long bucketBytes) {
        return pieces == null
                ? isWithin(Block.offset(block), offset, Block.buckets(block) * bucketBytes)
                : pieces.contain(offset, bucketBytes);
    }

    private boolean contain(long offset, long bucketBytes) {
        for (long piece : offsets) {
            if (isWithin(piece, offset, (mask + 1) * bucketBytes)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWithin(long begin, long offset, long bytes) {
        return offset >= begin && offset < begin + bytes;
    }

    /** Returns the runs of the heap that hold a block; the one with its head is last. */
    public static long[] runs(@Nullable Pieces pieces, long block) {
        long[] runs = pieces == null ? new long[1] : Arrays.copyOf(pieces.offsets, pieces.offsets.length + 1);
        runs[runs.length - 1] = BlockHead.of(block);
        return runs;
    }
}
