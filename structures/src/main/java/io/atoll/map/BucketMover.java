package io.atoll.map;

import io.atoll.fabric.Batch;
import java.lang.foreign.MemorySegment;

/**
 * How a bucket of a {@link BucketTable} is moved to the block that takes its block's place: first what it sees is copied, over what an earlier mover may have left
 * there; then the bucket becomes MOVED by one compareAndExchange of its state, which fails if the bucket is not what was copied: nothing that was stored is lost. A
 * reserved bucket is left to the next who comes by.
 *
 * <p>What lies beside a bucket is not touched: it is the reference that moves. A copy that is not true yet, or not any more, may refer to what has been freed; nobody follows it.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
class BucketMover implements Mover {

    /** So often a bucket is copied that is being changed all the time; then it waits for the next who moves buckets. */
    private static final int ATTEMPTS = 16;

    final BucketTable table;

    BucketMover(BucketTable table) {
        this.table = table;
    }

    @Override
    public boolean move(int owner, long block, long index, long next) {
        long offset = table.offset(owner, block, index);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Batch batch = table.endpoint.batch(owner);
            long state = take(batch, owner, offset);
            if (Bucket.isFinal(state)) {
                return true;
            }
            if (isReserved(state)) {
                if (!table.isSettled(owner, offset, state)) {
                    return false;
                }
            } else if (state == Bucket.FREE) {
                if (table.endpoint.compareAndExchange(owner, offset, state, Bucket.CLOSED) == state) {
                    return true;
                }
            } else {
                long hash = table.hashing.hashOf(batch.buffer(table.span), BucketSearch.KEY);
                if (!copy(batch, owner, next, hash, Bucket.isLiving(state))) {
                    return false;
                }
                if (seal(owner, offset, state)) {
                    countMoved(owner, block, hash, offset, state);
                    return true;
                }
            }
        }
        return false;
    }

    /** Reads a bucket, and places its key and living value as those of an operation. Returns its state. */
    private long take(Batch batch, int owner, long offset) {
        Bucket bucket = table.bucket;
        table.readBuckets(batch, owner, offset, 1);
        long state = batch.word(table.read);
        move(batch, table.read + bucket.key, BucketSearch.KEY, bucket.keyBytes);
        move(batch, table.read + bucket.place(state), table.value(), bucket.valueBytes);
        return state;
    }

    private void move(Batch batch, long from, long to, long bytes) {
        MemorySegment.copy(batch.buffer(table.span), from, batch.buffer(table.span), to, bytes);
    }

    /** Makes the bucket MOVED, unless it is not any more what was copied. */
    boolean seal(int owner, long offset, long copied) {
        return table.endpoint.compareAndExchange(owner, offset, copied, Bucket.MOVED) == copied;
    }

    private void countMoved(int owner, long block, long hash, long offset, long state) {
        if (Bucket.isLiving(state)) {
            table.count(owner, block, hash, offset, Blocks.REMOVED);
        }
    }

    /**
     * Sees to it that in the next blocks the key has the value in the buffer, or none if it is not living. Nobody else touches the key there. False if
     * that would mean to wait, or there was no room.
     */
    boolean copy(Batch batch, int owner, long next, long hash, boolean living) {
        while (true) {
            long found = table.locate(batch, owner, next, hash, table.whole(owner));
            if (found == BucketSearch.FULL && living) {
                // The next who comes by finds room, if there is some: growing has used the buffer.
                table.blocks.growsIfThereIsRoom(owner, next);
                return false;
            }
            long offset = found < 0 ? ~found : found;
            long earlier = found < 0 ? Bucket.FREE : BucketSearch.located(batch);
            long witness = isReserved(earlier) ? earlier : replace(batch, owner, offset, earlier, living);
            if (isReserved(witness)) {
                if (!table.isSettled(owner, offset, witness)) {
                    return false;
                }
            } else if (witness == earlier) {
                countCopied(owner, next, hash, offset, earlier, living);
                return true;
            }
        }
    }

    private static boolean isReserved(long state) {
        return Bucket.kind(state) == Bucket.RESERVED;
    }

    /** Returns what was there. */
    private long replace(Batch batch, int owner, long offset, long earlier, boolean living) {
        if (!replaces(earlier, living)) {
            return earlier;
        }
        return living
                ? table.exchange(batch, owner, offset, earlier, null)
                : table.endpoint.compareAndExchange(owner, offset, earlier, Bucket.removed(earlier));
    }

    private void countCopied(int owner, long next, long hash, long offset, long earlier, boolean living) {
        if (replaces(earlier, living)) {
            table.count(owner, next, hash, offset,
                    BucketTable.counted(earlier, living ? Outcome.STORE : Outcome.REMOVE));
        }
    }

    /** Whether what an earlier mover may have left, who died or was overtaken by a change, must not stay. */
    boolean replaces(long earlier, boolean living) {
        return living || Bucket.isLiving(earlier);
    }
}
