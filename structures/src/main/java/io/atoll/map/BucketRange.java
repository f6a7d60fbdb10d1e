package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.EntryReader;
import io.atoll.map.block.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.LongBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * The entries of one rank whose homes are neighbours, as an iteration reads them: in the rank's block, and while that is being moved then in the next ones. What was found here and was not moved
 * is not looked for there: it may be a copy. By ranges of homes, so that it does not matter if the block is replaced between two of them.
 */
final class BucketRange {

    private final BucketTable table;
    private final int owner;
    private final EntryReader reader;
    private final boolean canGrow;
    private final long from; // homes of the largest block
    private long to;
    private final Set<LongBuffer> known = new HashSet<>(); // keys, where blocks can grow

    BucketRange(BucketTable table, int owner, long from, EntryReader reader) {
        this.table = table;
        this.owner = owner;
        this.from = from;
        this.reader = reader;
        this.canGrow = table.blocks.canGrow();
    }

    /** Returns where the next range begins. */
    long read(long first) {
        to = Math.min(Block.HOMES, from + table.mostBuckets() * Block.homesPerBucket(first));
        for (long block = first; block != Block.NONE; block = table.blocks.next(owner, block)) {
            read(block, from / Block.homesPerBucket(block), to / Block.homesPerBucket(block));
        }
        return to;
    }

    private void read(long block, long begin, long end) {
        for (long index = begin; index < end; index += table.mostBuckets()) {
            readBuckets(block, index, Math.min(table.mostBuckets(), end - index));
        }
        // What was at home in the range, and found a place in the groups behind it only.
        long index = end;
        while (canGrow && index < begin + Block.buckets(block) && readBuckets(block, index, table.group)) {
            index += table.group;
        }
    }

    /** Returns whether all of the buckets have keys. */
    private boolean readBuckets(long block, long index, long count) {
        Batch batch = table.endpoint.batch(owner);
        table.readBuckets(batch, owner, table.offset(block, index & Block.buckets(block) - 1), count);
        boolean full = true;
        for (long at = 0; at < count; at++) {
            long position = table.read + at * table.bucket.size;
            long state = batch.word(position);
            full &= Bucket.hasKey(state);
            if (Bucket.hasKey(state) && state != Bucket.MOVED && isNew(batch, position + table.bucket.key)
                    && Bucket.isLiving(state)) {
                reader.read(batch, position + table.bucket.key, position + table.bucket.place(state));
            }
        }
        return full;
    }

    private boolean isNew(Batch batch, long key) {
        if (!canGrow) {
            return true;
        }
        long home = Block.home(table.hashing.hashOf(batch.buffer(), key));
        return home >= from && home < to && known.add(words(batch, key));
    }

    private LongBuffer words(Batch batch, long key) {
        MemorySegment words = batch.buffer().asSlice(key, table.bucket.keyBytes);
        return LongBuffer.wrap(words.toArray(ValueLayout.JAVA_LONG));
    }
}
