package io.atoll.map;

import io.atoll.fabric.Batch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.LongBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads the entries of one rank whose homes are neighbours, for an iteration. It reads them in the rank's block, and
 * then in the next blocks while that block is being moved. A key that was found in one block and was not moved is
 * skipped in the next ones: it may be a copy there. Ranges are of homes, so that it does not matter if the block is
 * replaced between two of them.
 */
final class BucketRange {

    /** Takes an entry in the buffer of a batch, at the positions of its key and its value. */
    interface Reader {
        void read(Batch batch, long key, long value);
    }

    private final BucketReader source;
    private final int owner;
    private final Reader reader;
    private final boolean canGrow;
    private final long from; // homes of the largest block
    private final long most;
    private long to;
    private long buckets;
    private final Set<LongBuffer> known = new HashSet<>(); // keys, where blocks can grow

    /**
     * @param from the first of the homes, as of the largest block
     * @param most buckets of the block in which searches begin, whole groups of them; no more than the buffer holds
     */
    BucketRange(BucketReader source, int owner, long from, long most, Reader reader) {
        this.source = source;
        this.owner = owner;
        this.from = from;
        this.most = most;
        this.reader = reader;
        this.canGrow = source.blocks.canGrow();
    }

    /**
     * Reads the range. The operation must have begun.
     *
     * @param first the block in which searches begin, or {@link Block#NONE} if there is none
     * @return where the next range begins; {@link Block#HOMES} after the last
     */
    long read(long first) {
        if (first == Block.NONE) {
            return Block.HOMES;
        }
        buckets = Math.min(most, Block.buckets(first) - begin(first));
        to = (begin(first) + buckets) * Block.homesPerBucket(first);
        for (long block = first; block != Block.NONE; block = source.blocks.next(owner, block)) {
            read(block, begin(block), to / Block.homesPerBucket(block));
        }
        return to;
    }

    /** Returns how many buckets the range has in the block in which searches begin. */
    long buckets() {
        return buckets;
    }

    /** Returns the first bucket of a whole group: an entry may be in any bucket of the group where it is at home. */
    private long begin(long block) {
        return from / Block.homesPerBucket(block) & -source.group;
    }

    private void read(long block, long begin, long end) {
        for (long index = begin; index < end;) {
            long count = Math.min(source.mostBuckets(owner), Math.min(end - index, Block.contiguous(block, index)));
            readBuckets(block, index, count);
            index += count;
        }
        // Keys that are at home in the range may have found a place only in the groups behind it.
        long index = end;
        while (canGrow && index < begin + Block.buckets(block) && readBuckets(block, index, source.group)) {
            index += source.group;
        }
    }

    /** Returns true if all of the buckets have keys. */
    private boolean readBuckets(long block, long index, long count) {
        try (Batch batch = source.endpoint.batch(owner)) {
            source.readBuckets(batch, owner, source.offset(owner, block, index & Block.buckets(block) - 1), count);
            boolean full = true;
            for (long at = 0; at < count; at++) {
                long position = source.read + at * source.bucket.size;
                long state = batch.word(position);
                full &= Bucket.hasKey(state);
                if (Bucket.hasKey(state) && state != Bucket.MOVED && isNew(batch, position + source.bucket.key)
                        && Bucket.isLiving(state)) {
                    reader.read(batch, position + source.bucket.key, position + source.bucket.place(state));
                }
            }
            return full;
        }
    }

    private boolean isNew(Batch batch, long key) {
        if (!canGrow) {
            return true;
        }
        long home = Block.home(source.hashing.hashOf(batch.buffer(), key));
        return home >= from && home < to && known.add(words(batch, key));
    }

    private LongBuffer words(Batch batch, long key) {
        MemorySegment words = batch.buffer().asSlice(key, source.bucket.keyBytes);
        return LongBuffer.wrap(words.toArray(ValueLayout.JAVA_LONG));
    }
}
