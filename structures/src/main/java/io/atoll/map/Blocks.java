package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.StackRoom;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the buckets of each rank for a table. An operation begins, and searches from {@link #first} on. It goes on in
 * {@link #next} if a bucket says that its key is not here any more. Then it ends:
 * <pre>{@code
 * Token token = blocks.begin();
 * try {
 *     long first = blocks.first(owner);
 *     ...
 * } finally {
 *     blocks.end(token);
 * }
 * }</pre>
 */
abstract class Blocks {

    /**
     * The changes that {@link #count} is told of. They come in this order. A bucket was taken for a key. A bucket was
     * taken for a key with a value. A key that was removed has a value again. A key has no value any more.
     */
    public static final long CLAIMED = BlockHead.CLAIMED;
    public static final long ADDED = BlockHead.CLAIMED + BlockHead.LIVING;
    public static final long REVIVED = BlockHead.LIVING;
    public static final long REMOVED = -BlockHead.LIVING;

    Blocks() {}

    /** Returns how many ranks have blocks. */
    public abstract int ranks();

    /** Returns true if a block can be replaced. */
    public abstract boolean canGrow();

    /** Begins an operation of this thread. Until it ends, no block goes away. */
    public abstract @Nullable Token begin();

    /**
     * As {@link #begin}, for an operation that changes something. It first makes sure that the stack has room for the
     * methods of the operation.
     *
     * @throws StackOverflowError before anything has begun
     */
    public final @Nullable Token beginToChange() {
        StackRoom.require();
        return begin();
    }

    /** Ends an operation. What it has written must have arrived. */
    public abstract void end(@Nullable Token token);

    /** Returns the block in which every search begins. */
    public abstract long first(int owner);

    /** As {@link #first}, but takes no room: returns {@link Block#NONE} if the owner has no block yet, and no entry. */
    public long firstIfAny(int owner) {
        return first(owner);
    }

    /**
     * As {@link #first}, for an operation that changes something. It helps a little if the block is being moved. Uses
     * the thread's batch.
     */
    public abstract long firstToChange(int owner, @Nullable Token token, Mover mover);

    /**
     * As {@link #first}, but posts no verb. Returns {@link Block#NONE} if this process does not know the block, or if
     * the block is being replaced. {@link #epochs} must have pinned the caller.
     */
    public abstract long firstAtRest(int owner);

    /** Returns the manager that pins operations on these blocks, or null if nothing goes away. */
    public abstract @Nullable EpochManager epochs();

    /** Returns the block that takes this one's place, or {@link Block#NONE}. */
    public abstract long next(int owner, long block);

    /**
     * Returns the pieces of a block that a search has come to, or null if the block is whole. Cost: none for the first
     * two blocks of a rank.
     */
    public final @Nullable Pieces pieces(int owner, long block) {
        return Block.isWhole(block) ? null : piecesOf(owner, block);
    }

    /** As {@link #pieces}, for a block that is not whole. */
    @Nullable Pieces piecesOf(int owner, long block) {
        throw new AssertionError("each block is whole: rank=" + owner);
    }

    /** Returns the offset of a bucket in a block that a search has come to. */
    public final long offset(int owner, long block, long index, long bucketBytes) {
        return Pieces.offset(pieces(owner, block), block, index, bucketBytes);
    }

    /**
     * As {@link #begin}, to undo what an earlier operation has reserved.
     *
     * @throws FabricException if it cannot be undone now: no token is left, say, or this process has left its world
     */
    final @Nullable Token beginToUndo(int owner) {
        try {
            return canGrow() ? begin() : null;
        } catch (IllegalStateException unpinned) {
            throw new RankUnreachableException(
                    "what is reserved there cannot be undone without a pin, end pins that this process holds",
                    "compareAndExchange", owner, FabricException.WHOLE_SEGMENT);
        }
    }

    /** Ends what {@link #beginToUndo} has begun. It uses no batch: the thread may be in the middle of an operation. */
    static void endUndoing(@Nullable Token token) {
        if (token != null) {
            token.unpin();
        }
    }

    /**
     * Returns true if the block is present: the first block of the owner, or one that follows it. A block is replaced
     * only when all of its buckets are final. So it stays present while one of them is reserved. If a block is not
     * present, nothing in it needs undoing, and its memory may have another use. The caller has begun an
     * operation. Cost: none for the first two blocks of a rank.
     */
    final boolean isPresent(int owner, long block) {
        long present = first(owner);
        while (present != block && present != Block.NONE) {
            present = next(owner, present);
        }
        return present == block;
    }

    /** As {@link #isPresent}, for the block that has the bucket at that offset. */
    final boolean contain(int owner, long offset, long bucketBytes) {
        long present = first(owner);
        while (present != Block.NONE && !Pieces.contain(pieces(owner, present), present, offset, bucketBytes)) {
            present = next(owner, present);
        }
        return present != Block.NONE;
    }

    /**
     * Makes sure that there is a block after the last one, which was found to be full. Uses the thread's batch.
     *
     * @throws io.atoll.failure.TableFullException if these blocks do not grow
     * @throws io.atoll.failure.SegmentFullException if the owner has no room for another block
     */
    public abstract void grow(int owner, long first);

    /**
     * As {@link #grow}, for a caller that can go on without. Returns false if there is no room for another block, or
     * was none a moment ago.
     */
    public boolean growsIfThereIsRoom(int owner, long first) {
        try {
            grow(owner, first);
            return true;
        } catch (SegmentFullException full) {
            return false;
        }
    }

    /**
     * Returns the number of buckets in all ranks' first blocks. To be called in the middle of an operation. Cost: none,
     * or R for each rank whose block was replaced.
     */
    public final long buckets() {
        long buckets = 0;
        for (int owner = 0; owner < ranks(); owner++) {
            buckets += Block.buckets(first(owner));
        }
        return buckets;
    }

    /**
     * Notes what has become of an entry. It may begin to grow, and uses the thread's batch then.
     *
     * @param offset of the entry's bucket
     */
    public abstract void count(int owner, long first, long offset, long hash, long change);

    /** Returns false if {@link #count} would do nothing. */
    public abstract boolean isCounted(int owner, long first, long offset, long hash);

    /** Returns the block in which an entry is counted, or {@link Block#NONE} if it is not. */
    public long counting(int owner, long first, long offset, long hash) {
        return Block.NONE;
    }

    /**
     * As {@link #count}, once the change was added to the counts of a block.
     *
     * @param before what they were
     */
    public void counted(int owner, long block, long before, long change) {
        throw new AssertionError("no entry is counted: rank=" + owner);
    }

    /** As {@link #count}, for an operation that has taken effect: its caller is not told of an error. */
    public final void note(int owner, long first, long offset, long hash, long change) {
        try {
            count(owner, first, offset, hash, change);
        } catch (VirtualMachineError | LinkageError afterwards) {
            Aftermath.warn("an entry is not counted, or the block grows later", afterwards);
        }
    }

    /**
     * Returns about how many entries there are, or empty if they are not counted. Cost: R for each rank, 2 R while the
     * map grows.
     */
    public abstract OptionalLong estimate();
}
