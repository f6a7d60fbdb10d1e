package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link LongBucket}s, four of which share a cache line, and finds a key among them. It reads the word (4) and
 * the key (5). The numbers are those of {@link LongBucket}.
 *
 * <p>A key's hash names a bucket. If that is taken, the others of its line follow, around the line's end, then the next
 * lines. So one read brings all the places where a key most likely is.
 *
 * <p>A bucket that is FREE or RESERVED ends every search: it is not the key's yet, and nothing lies behind it. If
 * blocks grow, buckets become final one after the other. A search goes on in the next block if a bucket is MOVED with
 * its key, or CLOSED. It also does so if it finds no end. It passes MOVED buckets of other keys. So a key is in the
 * next block only if its path in this one has said so for good. What stands in the next block before that is a copy
 * that no search looks at yet.
 */
class LongReader {

    /** In place of an offset: there is neither the key nor a place for it. */
    static final long FULL = Long.MIN_VALUE;

    /** Buckets that are read at once. */
    public static final int LINE_BUCKETS = (int) (Layouts.CACHE_LINE / LongBucket.SIZE);

    private static final long LINE_MASK = Layouts.CACHE_LINE - 1;

    /** In place of a word: another look is needed. */
    static final long UNCLEAR = LongBucket.FREE;

    /** The key of a bucket reads as this while no thread has written it. */
    static final long UNWRITTEN = 0;

    public final Endpoint endpoint;
    public final Blocks blocks;
    final KeyHash hashing;

    LongReader(Endpoint endpoint, Blocks blocks, KeyHash hashing) {
        this.endpoint = endpoint;
        this.blocks = blocks;
        this.hashing = hashing;
    }

    /** Returns this reader for the only thread that uses this rank's entries. */
    final LongReader alone() {
        return new LongReader(endpoint.alone(), blocks, hashing);
    }

    /** Returns the key's word, or one that is not present. The operation must have begun. */
    final long fetch(@Nullable LocalMemory mapped, int owner, long first, long hash, long key) {
        while (true) {
            long bucket = locate(mapped, owner, first, hash, key);
            long word = bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
            // If a look costs nothing, the key may have been moved since it was found.
            if (!LongBucket.isMoved(word)) {
                return word;
            }
        }
    }

    /**
     * As {@link #fetch}, by as few instructions as can be, in a segment that is mapped. Looks at one line of a block
     * that is whole. Returns {@link #UNCLEAR} if that does not tell.
     */
    final long probe(LocalMemory mapped, long block, long hash, long key) {
        long home = Block.home(block, hash);
        for (int steps = 0; steps < LINE_BUCKETS && key != UNWRITTEN; steps++) {
            long bucket = Pieces.offset(null, block, Block.bucket(block, home, steps, LINE_BUCKETS), LongBucket.SIZE);
            long word = mapped.get(bucket + LongBucket.VALUE); // (4)
            long seen = mapped.get(bucket + LongBucket.KEY); // (5)
            mapped.acquireFence();
            if (word == LongBucket.FREE) {
                return LongBucket.ABSENT;
            }
            if (seen == key) {
                return LongBucket.isPresent(word) ? word : UNCLEAR;
            }
            if (!LongBucket.hasKey(word) || seen == UNWRITTEN) {
                return UNCLEAR;
            }
        }
        return UNCLEAR;
    }

    /** As {@link #fetch}, by verbs. The operation must have begun. */
    final long word(int owner, long first, long key) {
        return fetch(endpoint.mapped(owner), owner, first, hashing.of(key), key);
    }

    /**
     * Finds the bucket of the key, whose word is then {@linkplain #located at hand}, and returns its offset. If the key
     * is not there, returns the complement of the offset where it is to be inserted. That bucket is FREE or RESERVED.
     * Returns {@link #FULL} if there is neither.
     *
     * @param mapped the owner's segment as the operation has found it. It is not asked for again: in the middle of an
     * operation a rank may go, or a listener for the verbs may come
     */
    final long locate(@Nullable LocalMemory mapped, int owner, long first, long hash, long key) {
        return locate(mapped, owner, first, hash, key, false);
    }

    /** As the other one. The home's line may have been {@linkplain #addLine read} already, if verbs are needed. */
    final long locate(@Nullable LocalMemory mapped, int owner, long first, long hash, long key, boolean isRead) {
        long block = first;
        while (true) {
            long bucket = locateIn(mapped, owner, block, hash, key, isRead && block == first);
            if (bucket != FULL && (bucket < 0 || !LongBucket.isMoved(located(mapped, owner, bucket)))) {
                return bucket;
            }
            block = blocks.next(owner, block);
            if (block == Block.NONE) {
                return FULL;
            }
        }
    }

    /**
     * As {@link #locate}, in one block. It also finds a bucket from which the key was moved. Returns {@link #FULL} if
     * the path ends without a place for the key.
     */
    private long locateIn(@Nullable LocalMemory mapped, int owner, long block, long hash, long key, boolean isRead) {
        LocalMemory source = mapped != null ? mapped : endpoint.batch(owner).memory(Layouts.CACHE_LINE);
        long home = Block.home(block, hash);
        Pieces pieces = blocks.pieces(owner, block);
        for (long steps = 0; steps < Block.buckets(block); steps++) {
            long bucket = Pieces.offset(pieces, block, Block.bucket(block, home, steps, LINE_BUCKETS),
                    LongBucket.SIZE);
            if (mapped == null && steps % LINE_BUCKETS == 0 && !(isRead && steps == 0)) {
                read(owner, bucket);
            }
            long at = mapped != null ? bucket : bucket & LINE_MASK;
            long word = source.get(at + LongBucket.VALUE); // (4)
            long seen = source.get(at + LongBucket.KEY); // (5)
            source.acquireFence();
            if (LongBucket.hasKey(word)) {
                if (written(owner, bucket, seen) == key) {
                    return bucket;
                }
            } else if (word == LongBucket.FREE || waitsAt(word)) {
                return ~bucket;
            }
            if (endsAt(word)) {
                return FULL;
            }
        }
        return FULL;
    }

    /** Returns true if nothing lies behind this bucket, nor ever will. */
    boolean endsAt(long word) {
        return word == LongBucket.CLOSED;
    }

    /**
     * Returns the key of a bucket that has one. The two words may have been read in any order. Then a key that reads as
     * unwritten memory does is read again. By now the word that publishes it has been seen. Any other key is the
     * bucket's, for good.
     */
    long written(int owner, long bucket, long seen) {
        // (5) once more, behind the fence after (4): pairs with the order of (2) and (3).
        return seen != UNWRITTEN || arrivesWhole(owner)
                ? seen
                : endpoint.readWord(owner, bucket + LongBucket.KEY);
    }

    /** Returns true if one read brings a bucket as it was at one moment. */
    final boolean arrivesWhole(int owner) {
        return endpoint.atomicReadBytes(owner) >= LongBucket.SIZE;
    }

    /**
     * Returns the word of a bucket as {@link #locate} has seen it. If a look costs nothing, returns the present word.
     */
    final long located(@Nullable LocalMemory mapped, int owner, long bucket) {
        return mapped != null
                ? mapped.getAcquire(bucket)
                : endpoint.batch(owner).word(bucket & LINE_MASK);
    }

    private void read(int owner, long bucket) {
        Batch batch = endpoint.batch(owner);
        addLine(batch, owner, bucket);
        batch.complete();
    }

    /** Adds the read of a bucket's line, which uses the first bytes of the buffer. */
    final void addLine(Batch batch, int owner, long bucket) {
        batch.read(owner, bucket & ~LINE_MASK, 0, Layouts.CACHE_LINE);
    }

    boolean waitsAt(long word) {
        return LongBucket.isReserved(word);
    }

    /** Returns the offset of a bucket, and of its word that tells and counts. */
    final long bucket(int owner, long block, long index) {
        return blocks.offset(owner, block, index, LongBucket.SIZE);
    }
}
