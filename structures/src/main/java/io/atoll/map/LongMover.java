package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;

/**
 * Moves a bucket of a {@link LongTable} to the block that takes its block's place. First it copies what it sees, over
 * what an earlier mover may have left there. Then one compare-and-exchange makes the bucket MOVED. It fails if the
 * bucket is not what was copied, so no addition is lost, and no thread waits. A reserved bucket is left to the next
 * operation that comes by. {@link LongMoveRounds} does the same for several buckets over a network.
 */
class LongMover implements Mover {

    final LongTable table;

    LongMover(LongTable table) {
        this.table = table;
    }

    @Override
    public final boolean executesAtOnce(int owner) {
        return table.endpoint.executesAtOnce(owner);
    }

    @Override
    public int moveTogether(int owner, long block, long begin, int count, long next) {
        return new LongMoveRounds(this, owner, block, begin, count, next).run();
    }

    @Override
    public boolean move(int owner, long block, long index, long next) {
        long bucket = table.reader.bucket(owner, block, index);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long word = table.endpoint.readWord(owner, bucket);
            if (LongBucket.isFinal(word)) {
                return true;
            }
            if (LongBucket.isReserved(word)) {
                if (!table.writer.isSettled(owner, bucket, word)) {
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

    /** Makes the bucket MOVED. Returns false if its word is no longer what was copied. */
    boolean seal(int owner, long bucket, long copied) {
        return table.endpoint.compareAndExchange(owner, bucket, copied, LongBucket.MOVED) == copied;
    }

    /** As {@link #seal(int, long, long)}, in a batch that is still to be completed. Returns the exchange's index. */
    int seal(Batch batch, int owner, long bucket, long copied) {
        return batch.compareAndExchange(owner, bucket, copied, LongBucket.MOVED);
    }

    private void countMoved(int owner, long block, long bucket, long key, long word) {
        if (LongBucket.isPresent(word)) {
            table.blocks.note(owner, block, bucket, table.reader.hashing.of(key), Blocks.REMOVED);
        }
    }

    /**
     * Makes sure of the key in the next blocks: it has this word, or is not present if the word is not. No other thread
     * touches the key there, but one that moves it on. Returns false if that would mean to wait, or if there is no
     * room.
     */
    boolean copy(int owner, long next, long key, long word) {
        long hash = table.reader.hashing.of(key);
        while (true) {
            LocalMemory mapped = table.endpoint.mapped(owner);
            long bucket = table.reader.locate(mapped, owner, next, hash, key);
            if (bucket >= 0) {
                if (replace(owner, next, bucket, hash, table.reader.located(mapped, owner, bucket), word)) {
                    return true;
                }
            } else if (!LongBucket.isPresent(word)) {
                return true;
            } else if (bucket == LongReader.FULL) {
                if (!table.blocks.growsIfThereIsRoom(owner, next)) {
                    return false;
                }
            } else {
                long witness = table.writer.occupy(owner, ~bucket, key, LongBucket.value(word));
                if (witness == LongBucket.FREE) {
                    return table.writer.counted(owner, next, ~bucket, hash);
                }
                if (table.reader.waitsAt(witness) && !table.writer.isSettled(owner, ~bucket, witness)) {
                    return false;
                }
            }
        }
    }

    /** Returns false if the key was moved on meanwhile. */
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

    /**
     * Returns true if an earlier copy must not stay. A mover may have made it that died or was overtaken by a change.
     */
    boolean replaces(long earlier, long copy) {
        return earlier != copy && (LongBucket.isPresent(earlier) || LongBucket.isPresent(copy));
    }
}
