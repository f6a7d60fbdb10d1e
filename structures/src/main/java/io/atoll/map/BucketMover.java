package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import java.lang.foreign.MemorySegment;

/**
 * Moves a bucket of a {@link BucketTable} to the block that takes its block's place. First it copies what it sees, over
 * what an earlier mover may have left there. Then one compareAndExchange of the state makes the bucket MOVED. It fails
 * if the bucket is not what was copied, so nothing that was stored is lost. A reserved bucket is left to the next
 * operation that comes by. {@link BucketMoveRounds} does the same for several buckets over a network.
 *
 * <p>A mover does not touch what lies beside a bucket: only the reference moves. A copy that is not true yet, or not
 * any more, may refer to what has been freed. No reader follows it.
 */
class BucketMover implements Mover {

    final BucketTable table;

    BucketMover(BucketTable table) {
        this.table = table;
    }

    @Override
    public final boolean executesAtOnce(int owner) {
        return table.endpoint.executesAtOnce(owner);
    }

    @Override
    public int moveTogether(int owner, long block, long begin, int count, long next) {
        int most = (int) Math.min(count, table.reader.mostBuckets(owner));
        return new BucketMoveRounds(this, owner, block, begin, most, next).run();
    }

    @Override
    public boolean move(int owner, long block, long index, long next) {
        long offset = table.reader.offset(owner, block, index);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Batch batch = table.endpoint.batch(owner);
            long state = take(batch, owner, offset);
            if (Bucket.isFinal(state)) {
                return true;
            }
            if (isReserved(state)) {
                if (!table.writer.isSettled(owner, offset, state)) {
                    return false;
                }
            } else if (state == Bucket.FREE) {
                if (table.endpoint.compareAndExchange(owner, offset, state, Bucket.CLOSED) == state) {
                    return true;
                }
            } else {
                long hash = table.reader.hashing.hashOf(batch.buffer(table.reader.span), BucketReader.KEY);
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
        Bucket bucket = table.reader.bucket;
        table.reader.readBuckets(batch, owner, offset, 1);
        long state = batch.word(table.reader.read);
        move(batch, table.reader.read + bucket.key, BucketReader.KEY, bucket.keyBytes);
        move(batch, table.reader.read + bucket.place(state), table.reader.value(), bucket.valueBytes);
        return state;
    }

    private void move(Batch batch, long from, long to, long bytes) {
        MemorySegment.copy(batch.buffer(table.reader.span), from, batch.buffer(table.reader.span), to, bytes);
    }

    /** Makes the bucket MOVED. Returns false if it is no longer what was copied. */
    boolean seal(int owner, long offset, long copied) {
        return table.endpoint.compareAndExchange(owner, offset, copied, Bucket.MOVED) == copied;
    }

    /** As {@link #seal(int, long, long)}, in a batch that is still to be completed. Returns the exchange's index. */
    int seal(Batch batch, int owner, long offset, long copied) {
        return batch.compareAndExchange(owner, offset, copied, Bucket.MOVED);
    }

    private void countMoved(int owner, long block, long hash, long offset, long state) {
        if (Bucket.isLiving(state)) {
            table.count(owner, block, hash, offset, Blocks.REMOVED);
        }
    }

    /**
     * Makes sure of the key's entry in the next blocks: it has the value in the buffer, or none if it is not living. No
     * other thread touches the key there. Returns false if that would mean to wait, or if there was no room.
     */
    boolean copy(Batch batch, int owner, long next, long hash, boolean living) {
        while (true) {
            long found = table.reader.locate(batch, owner, next, hash, table.reader.arrivesWhole(owner));
            if (found == BucketReader.FULL && living) {
                // The next operation that comes by finds room, if there is some. This one stops, because growing has
                // used the buffer.
                table.blocks.growsIfThereIsRoom(owner, next);
                return false;
            }
            long offset = found < 0 ? ~found : found;
            long earlier = found < 0 ? Bucket.FREE : BucketReader.located(batch);
            long witness = isReserved(earlier) ? earlier : replace(batch, owner, offset, earlier, living);
            if (isReserved(witness)) {
                if (!table.writer.isSettled(owner, offset, witness)) {
                    return false;
                }
            } else if (witness == earlier) {
                countCopied(owner, next, hash, offset, earlier, living);
                return true;
            }
        }
    }

    static boolean isReserved(long state) {
        return Bucket.kind(state) == Bucket.RESERVED;
    }

    /** Returns the state that it found. */
    private long replace(Batch batch, int owner, long offset, long earlier, boolean living) {
        if (!replaces(earlier, living)) {
            return earlier;
        }
        return living
                ? table.writer.exchange(batch, owner, offset, earlier, null)
                : table.endpoint.compareAndExchange(owner, offset, earlier, Bucket.removed(earlier));
    }

    private void countCopied(int owner, long next, long hash, long offset, long earlier, boolean living) {
        if (replaces(earlier, living)) {
            table.count(owner, next, hash, offset,
                    BucketTable.counted(earlier, living ? Change.Outcome.STORE : Change.Outcome.REMOVE));
        }
    }

    /**
     * Returns true if an earlier copy must not stay. A mover may have left it that died or was overtaken by a change.
     */
    boolean replaces(long earlier, boolean living) {
        return living || Bucket.isLiving(earlier);
    }
}
