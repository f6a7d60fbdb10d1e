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
 * The runs of the heap in which blocks are. A block has one, if there is room for it. Else it has one for its head, and one for each of as few pieces as there is room for.
 *
 * <p>All of them are announced before the block is made known, and by the same word. So wherever its maker dies, either all of them stay or none.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
class BlockRuns {

    /** A block is in so many pieces at most. */
    static final long MOST_PIECES = 256;

    /** A piece has so many slabs at least: it leaves one of them unused at most. */
    private static final long FEWEST_SLABS = 8;

    /**
     * A block that nobody knows yet.
     *
     * @param runs in which it is: that with its head last
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
     * Reserves what a block takes that nobody knows yet. Its head is zeroed, and so are its buckets.
     *
     * @throws SegmentFullException and nothing was reserved
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

    private Reserved reserveWhole(int owner, long buckets) {
        long run = heap.reserve(owner, BlockHead.BYTES + buckets * bucketBytes + Heap.ANNOUNCED_BYTES);
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
                    // By others, who were faster, or by the head: smaller pieces may still fit.
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

    /** Says by which word the block will be known. All that was written to its head and its table has arrived then. */
    void announce(int owner, long block, long place) {
        for (long run : all(owner, block)) {
            heap.announce(owner, run, new GlobalPointer(owner, place), block);
        }
    }

    /** From now on the block stays, whoever dies. */
    void commit(int owner, long block) {
        for (long run : all(owner, block)) {
            heap.commit(owner, run);
        }
    }

    /** Gives back a block that nobody knows: its head last, for as long as that is reserved the block's word is no other block's. */
    final void free(int owner, Reserved block) {
        self.giveBack(owner, block.runs);
    }

    /**
     * Gives back what became of a block in doubt: now, or as soon as its owner can be reached. Runs that are known by
     * the word are committed; those that are used, or are others' by then, stay as they are.
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
     * Lets a block be freed when nobody can be using it any more, and the word has another value. Does nothing if it has that already.
     *
     * @param place of the word by which the block is known still
     * @param epoch see {@link Heap#retire}
     */
    void retire(int owner, long block, long place, long epoch) {
        long[] runs = all(owner, block);
        // As long as the word has the value nobody frees the block. So it is the block's table that was read before.
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
