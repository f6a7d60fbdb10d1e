package io.atoll.map;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.FreeStretches;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The runs of the heap that hold blocks. A block has one run, if there is room for it. Else it has one run for its head
 * and one for each piece. It is in as few pieces as there is room for.
 *
 * <p>All runs of a block are announced before the block is made known, and by the same word. So if its maker dies, at
 * whatever point, either all of them stay or none.
 */
class BlockRuns {

    /** A block is in at most this many pieces. */
    static final long MOST_PIECES = 256;

    /** A piece has at least this many slabs, and leaves at most one of them unused. */
    private static final long FEWEST_SLABS = 8;

    /**
     * A block that no other process knows yet.
     *
     * @param runs that hold it; the one with its head is last
     */
    record Reserved(long block, long[] runs) {}

    final Heap heap;
    private final Participant self;
    private final Endpoint endpoint;
    private final long bucketBytes;

    BlockRuns(Participant self, long bucketBytes) {
        this.self = self;
        this.heap = self.heap();
        this.endpoint = self.endpoint();
        this.bucketBytes = bucketBytes;
    }

    /**
     * Reserves the runs of a block that no process knows yet. Its head and its buckets are zeroed.
     *
     * @throws SegmentFullException if there is no room; then nothing was reserved
     */
    Reserved reserve(int owner, long buckets) {
        try {
            return reserveWhole(owner, buckets);
        } catch (SegmentFullException full) {
            Reserved block = reserveFewestPieces(owner, buckets);
            if (block == null) {
                throw full;
            }
            return block;
        }
    }

    /**
     * Checks that a segment with nothing in it has room for a block.
     *
     * @throws SegmentFullException if it has none, so that no block of this size ever fits
     */
    void checkFits(int owner, long buckets) {
        heap.checkFits(owner, bytes(buckets));
    }

    /** Returns the bytes of a block in one run. */
    long bytes(long buckets) {
        return BlockHead.BYTES + buckets * bucketBytes + Heap.ANNOUNCED_BYTES;
    }

    private Reserved reserveWhole(int owner, long buckets) {
        long run = heap.reserve(owner, bytes(buckets));
        return new Reserved(Block.of(run + BlockHead.BYTES, buckets), new long[]{run});
    }

    private @Nullable Reserved reserveFewestPieces(int owner, long buckets) {
        long leastBytes = FEWEST_SLABS * heap.slabBytes();
        FreeStretches free = heap.freeStretches(owner);
        for (long pieces = 2; pieces <= MOST_PIECES && buckets / pieces * bucketBytes >= leastBytes; pieces *= 2) {
            if (free.runsOf(pieceBytes(buckets, pieces)) >= pieces) {
                try {
                    return reservePieces(owner, buckets, pieces);
                } catch (SegmentFullException taken) {
                    // Others were faster, or the head took the room: smaller pieces may still fit.
                }
            }
        }
        return null;
    }

    final Reserved reservePieces(int owner, long buckets, long pieces) {
        long[] offsets = new long[(int) pieces];
        int reserved = 0;
        long head = heap.reserve(owner, BlockHead.BYTES + Pieces.tableBytes(pieces) + Heap.ANNOUNCED_BYTES);
        try {
            while (reserved < pieces) {
                offsets[reserved] = heap.reserve(owner, pieceBytes(buckets, pieces));
                reserved++;
            }
            writeTable(owner, head + BlockHead.BYTES, offsets);
            return new Reserved(Block.inPieces(head + BlockHead.BYTES, buckets, pieces), headLast(offsets, head));
        } catch (Throwable failure) {
            self.giveBack(owner, headLast(Arrays.copyOf(offsets, reserved), head));
            throw failure;
        }
    }

    private static long[] headLast(long[] pieces, long head) {
        long[] runs = Arrays.copyOf(pieces, pieces.length + 1);
        runs[pieces.length] = head;
        return runs;
    }

    private long pieceBytes(long buckets, long pieces) {
        return buckets / pieces * bucketBytes + Heap.ANNOUNCED_BYTES;
    }

    void writeTable(int owner, long table, long[] offsets) {
        endpoint.write(owner, table, MemorySegment.ofArray(offsets), 0, offsets.length * Layouts.WORD);
    }

    /**
     * Announces by which word the block will be known. When this returns, all that was written to its head and its
     * table has arrived.
     */
    void announce(int owner, long block, long place) {
        for (long run : all(owner, block)) {
            heap.announce(owner, run, new GlobalPointer(owner, place), block);
        }
    }

    /** Commits the runs: from now on the block stays, whichever rank dies. */
    void commit(int owner, long block) {
        for (long run : all(owner, block)) {
            heap.commit(owner, run);
        }
    }

    /**
     * Gives back a block that no other process knows. Its head goes last: as long as that is reserved, the block's word
     * is no other block's.
     */
    final void free(int owner, Reserved block) {
        self.giveBack(owner, block.runs);
    }

    /**
     * Gives back a block that may or may not have become known: now, or as soon as its owner can be reached. Runs that
     * are known by the word are committed. Runs that are in use, or belong to others by then, stay as they are.
     *
     * @param place of the word that makes the block known
     */
    final void withdraw(int owner, Reserved block, long place) {
        var next = new AtomicInteger();
        self.reservations().undo(owner, () -> {
            // Returns when what was sent before has arrived, or never will.
            endpoint.compareAndExchange(owner, place, Block.NONE, Block.NONE);
            while (next.get() < block.runs.length) {
                heap.withdraw(owner, block.runs[next.get()], new GlobalPointer(owner, place), block.block);
                next.incrementAndGet();
            }
        });
    }

    /**
     * Lets a block be freed once no thread can be using it any more and the word has another value. Does nothing if the
     * word has another value already.
     *
     * @param place of the word by which the block is still known
     * @param epoch see {@link Heap#retire}
     */
    void retire(int owner, long block, long place, long epoch) {
        long[] runs = all(owner, block);
        // No thread frees the block as long as the word has this value. So the table that was read before is the
        // block's.
        if (endpoint.readWord(owner, place) == block) {
            for (long run : runs) {
                heap.retire(owner, run, new GlobalPointer(owner, place), block, epoch);
            }
        }
    }

    private long[] all(int owner, long block) {
        return Pieces.runs(Pieces.read(endpoint, owner, block), block);
    }
}
