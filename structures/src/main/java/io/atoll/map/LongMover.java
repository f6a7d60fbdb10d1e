package io.atoll.map;

import io.atoll.memory.LocalMemory;

/**
 * How a bucket of a {@link LongTable} is moved to the block that takes its block's place: first what it sees is copied, over what an earlier mover may have left there; then the bucket becomes MOVED by one
 * compare-and-exchange that fails if it is not what was copied: no increment is lost, and nobody waits. A reserved bucket is left to the next who comes by.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
class LongMover implements Mover {

    /** So often a bucket is copied that is being changed all the time; then it waits for the next who moves buckets. */
    private static final int ATTEMPTS = 16;

    final LongTable table;

    LongMover(LongTable table) {
        this.table = table;
    }

    @Override
    public boolean move(int owner, long block, long index, long next) {
        long bucket = table.bucket(owner, block, index);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long word = table.endpoint.readWord(owner, bucket);
            if (LongBucket.isFinal(word)) {
                return true;
            }
            if (LongBucket.isReserved(word)) {
                if (!table.isSettled(owner, bucket, word)) {
                    return false;
                }
            } else if (word == LongBucket.FREE) {
                if (table.endpoint.compareAndExchange(owner, bucket, word, LongBucket.CLOSED) == word) {
                    return true;
                }
            } else {
                long key = table.endpoint.readWord(owner, bucket + LongBucket.KEY);
                if (!copy(owner, next, key, word)) {
                    return false;
                }
                if (seal(owner, bucket, word)) {
                    countMoved(owner, block, bucket, key, word);
                    return true;
                }
            }
        }
        return false;
    }

    /** Makes the bucket MOVED, unless its word is not any more what was copied. */
    boolean seal(int owner, long bucket, long copied) {
        return table.endpoint.compareAndExchange(owner, bucket, copied, LongBucket.MOVED) == copied;
    }

    private void countMoved(int owner, long block, long bucket, long key, long word) {
        if (LongBucket.isPresent(word)) {
            table.blocks.note(owner, block, bucket, table.hashing.of(key), Blocks.REMOVED);
        }
    }

    /**
     * Sees to it that in the next blocks the key has this word, or is not present if it is not. Nobody else touches the key there, but who moves it on. False if
     * that would mean to wait, or there is no room.
     */
    boolean copy(int owner, long next, long key, long word) {
        long hash = table.hashing.of(key);
        while (true) {
            LocalMemory mapped = table.endpoint.mapped(owner);
            long bucket = table.locate(mapped, owner, next, hash, key);
            if (bucket >= 0) {
                if (replace(owner, next, bucket, hash, table.located(mapped, owner, bucket), word)) {
                    return true;
                }
            } else if (!LongBucket.isPresent(word)) {
                return true;
            } else if (bucket == LongTable.FULL) {
                if (!table.blocks.growsIfThereIsRoom(owner, next)) {
                    return false;
                }
            } else {
                long witness = table.occupy(owner, ~bucket, key, LongBucket.value(word));
                if (witness == LongBucket.FREE) {
                    return table.counted(owner, next, ~bucket, hash);
                }
                if (table.waitsAt(witness) && !table.isSettled(owner, ~bucket, witness)) {
                    return false;
                }
            }
        }
    }

    /** False if it was moved on meanwhile. */
    private boolean replace(int owner, long next, long bucket, long hash, long located, long word) {
        long copy = LongBucket.isPresent(word) ? word : LongBucket.ABSENT;
        if (LongBucket.isMoved(located)) {
            return false;
        }
        if (!replaces(located, copy)) {
            return true;
        }
        if (table.endpoint.compareAndExchange(owner, bucket, located, copy) != located) {
            return false;
        }
        if (LongBucket.isPresent(located) != LongBucket.isPresent(word)) {
            table.blocks.note(owner, next, bucket, hash, LongBucket.isPresent(word) ? Blocks.REVIVED : Blocks.REMOVED);
        }
        return true;
    }

    /** Whether an earlier copy, of one who died or was overtaken by a change, must not stay. */
    boolean replaces(long earlier, long copy) {
        return earlier != copy && (LongBucket.isPresent(earlier) || LongBucket.isPresent(copy));
    }
}
