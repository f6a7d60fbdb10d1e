package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Bucket}s, and finds a key among them. The caller places the key at {@link #KEY} in the buffer of the
 * owner's batch.
 *
 * <p>A reader never waits. It reads the state (4), the entry (5) and the state again (6). It accepts the entry if the
 * state is the same. The numbers are those of {@link Bucket}.
 *
 * <p>A bucket that is FREE, or reserved for a new key, ends every search: nothing lies behind it. If blocks grow,
 * buckets become final one after the other. A search goes on in the next block if a bucket is MOVED with its key, or
 * CLOSED. It also does so if it finds no end. It passes MOVED buckets of other keys. So a key is in the next block only
 * if its path in this one has said so for good. What stands in the next block before that is a copy that no search
 * looks at yet.
 */
class BucketReader {

    /** The most bytes of a bucket: one as it is written and one as it is read share a batch's buffer. */
    public static final long LARGEST_BUCKET_BYTES = (Batch.THREAD_BUFFER_BYTES - 2 * Layouts.CACHE_LINE) / 2;

    /** As many bytes as a read may bring without taking longer. */
    private static final long GROUP_BYTES = 4 * Layouts.CACHE_LINE;

    /** In place of an offset: there is neither the key nor a place for it. */
    public static final long FULL = Long.MIN_VALUE;

    /** In place of an offset: the search goes on behind this bucket. */
    public static final long BEHIND = Long.MIN_VALUE + 1;

    /** In place of a position: there is no living value. */
    public static final long NONE = -1;

    // Positions in a batch's buffer. Key and value of the operation lie as in a bucket whose state is at WRITTEN, the
    // value as in place 0.
    private static final long BEFORE = 0; // the state as read before the bucket, then that of the located bucket
    private static final long AFTER = BEFORE + Layouts.WORD; // the state as read after it, then the located position
    public static final long WRITTEN = Layouts.CACHE_LINE; // a bucket as it is to be written
    public static final long KEY = WRITTEN + Layouts.WORD;

    public final Endpoint endpoint;
    public final Bucket bucket;
    public final Blocks blocks;
    public final Hashing hashing;
    public final long read; // position of the bucket, or the group, that was read
    public final int group; // number of buckets that are neighbours in probing, a power of two
    public final long span; // bytes of the buffer that an operation on one key uses

    BucketReader(Endpoint endpoint, Bucket bucket, Blocks blocks, Hashing hashing) {
        this.endpoint = endpoint;
        this.bucket = bucket;
        this.blocks = blocks;
        this.hashing = hashing;
        this.read = WRITTEN + bucket.size;
        this.group = group(bucket.size);
        this.span = read + group * bucket.size + Layouts.WORD; // of a bucket that is read as a record, its second state
    }

    /** Returns this reader for the only thread that uses this rank's entries. */
    final BucketReader alone() {
        return new BucketReader(endpoint.alone(), bucket, blocks, hashing);
    }

    public static int group(long bucketBytes) {
        return Math.clamp(Long.highestOneBit(GROUP_BYTES / bucketBytes), 1, Placement.FEWEST_BUCKETS);
    }

    /** Returns the position of the operation's value in the buffer. */
    public final long value() {
        return KEY + bucket.keyBytes;
    }

    public final long offset(int owner, long block, long index) {
        return blocks.offset(owner, block, index, bucket.size);
    }

    private long offset(@Nullable Pieces pieces, long block, long index) {
        return Pieces.offset(pieces, block, index, bucket.size);
    }

    /**
     * Finds the bucket of the key, whose state is then {@linkplain #located at hand}, and returns its offset. If the
     * key is not there, returns the complement of the offset where it is to be inserted. That bucket is FREE or
     * reserved for a new key. Returns {@link #FULL} if there is neither.
     *
     * @param first the block in which the search begins
     * @param hash whose low bits choose the home
     * @param arrivesWhole true if one read brings a bucket as it was at one moment
     */
    public final long locate(Batch batch, int owner, long first, long hash, boolean arrivesWhole) {
        return locate(batch, owner, first, hash, arrivesWhole, false);
    }

    /** As the other one. The home may have been {@linkplain #addHome read} already. */
    final long locate(Batch batch, int owner, long first, long hash, boolean arrivesWhole, boolean isRead) {
        long block = first;
        while (true) {
            long found = locateIn(batch, owner, block, hash, arrivesWhole, isRead && block == first);
            if (found != FULL && (found < 0 || located(batch) != Bucket.MOVED)) {
                return found;
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
    private long locateIn(Batch batch, int owner, long block, long hash, boolean arrivesWhole, boolean isRead) {
        long home = Block.home(block, hash);
        Pieces pieces = blocks.pieces(owner, block);
        for (long steps = 0; steps < Block.buckets(block); steps++) {
            long index = Block.bucket(block, home, steps, group);
            long offset = offset(pieces, block, index);
            long position = isRead && steps == 0 && isHomeRead(batch, arrivesWhole)
                    ? position(index, arrivesWhole)
                    : readGroup(batch, owner, offset, index, steps % group == 0, arrivesWhole);
            long found = classify(batch, offset, position);
            if (found != BEHIND) {
                return found;
            }
        }
        return FULL;
    }

    /**
     * As {@link #locate}, for a key whose value is wanted, in a segment that is mapped. It copies only the value, to
     * {@link #value} in the buffer.
     *
     * @param buffer with the key at {@link #KEY}
     * @param block the only one in which it looks
     * @param still true if no thread changes an entry meanwhile
     * @return the position of the value; {@link #NONE}; or {@link #BEHIND} if the key is to be looked for in the next
     * block, or anew
     */
    final long probeMapped(LocalMemory mapped, MemorySegment buffer, int owner, long block, long hash,
            boolean still) {
        long home = Block.home(block, hash);
        Pieces pieces = blocks.pieces(owner, block);
        for (long steps = 0; steps < Block.buckets(block); steps++) {
            long offset = offset(pieces, block, Block.bucket(block, home, steps, group));
            // (4) acquire, as in readBucket.
            long state = mapped.getAcquire(offset);
            if (Bucket.hasKey(state)) {
                if (isKey(mapped, offset + bucket.key, buffer)) {
                    return state == Bucket.MOVED ? BEHIND : valueInMapped(mapped, buffer, offset, state, still);
                }
            } else if (state == Bucket.FREE || waitsAt(state)) {
                return NONE;
            }
            if (endsAt(state)) {
                return BEHIND;
            }
        }
        return BEHIND;
    }

    private long valueInMapped(LocalMemory mapped, MemorySegment buffer, long offset, long state, boolean still) {
        if (!Bucket.isLiving(state)) {
            return NONE;
        }
        mapped.load(offset + bucket.place(state), buffer, value(), bucket.valueBytes); // (5)
        // (6) behind the value, which was loaded before any access that follows.
        return still || accepts(state, mapped.getAcquire(offset)) ? value() : BEHIND;
    }

    private boolean isKey(LocalMemory mapped, long offset, MemorySegment buffer) {
        for (long at = 0; at < bucket.keyBytes; at += Layouts.WORD) {
            if (mapped.get(offset + at) != buffer.get(ValueLayout.JAVA_LONG, KEY + at)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns what {@link #locateIn} returns if its search ends at this bucket; {@link #BEHIND} if the search goes on.
     */
    final long classify(Batch batch, long offset, long position) {
        long state = batch.word(position);
        if (Bucket.hasKey(state)) {
            if (isKey(batch, position + bucket.key)) {
                batch.setWord(BEFORE, state);
                batch.setWord(AFTER, position);
                return offset;
            }
        } else if (state == Bucket.FREE || waitsAt(state)) {
            return ~offset;
        }
        return endsAt(state) ? FULL : BEHIND;
    }

    /** Returns the position of the bucket in the buffer. Buckets that arrive whole are read in groups. */
    private long readGroup(Batch batch, int owner, long offset, long index, boolean firstOfGroup,
            boolean arrivesWhole) {
        if (!arrivesWhole) {
            readBucket(batch, owner, offset, read);
        } else if (firstOfGroup) {
            addGroup(batch, owner, offset, index);
            batch.complete();
        }
        return position(index, arrivesWhole);
    }

    private void addGroup(Batch batch, int owner, long offset, long index) {
        batch.read(owner, offset - (index & group - 1) * bucket.size, read, group * bucket.size);
    }

    private long position(long index, boolean arrivesWhole) {
        return arrivesWhole ? read + (index & group - 1) * bucket.size : read;
    }

    /** Adds what {@link #locate} reads first, to a batch of an owner that decides. */
    final void addHome(Batch batch, int owner, long block, long hash, boolean arrivesWhole) {
        long home = Block.home(block, hash);
        long offset = offset(owner, block, home);
        if (arrivesWhole) {
            addGroup(batch, owner, offset, home);
        } else {
            addRecord(batch, owner, offset, read);
        }
    }

    /** Returns false if the home has changed while it was read. */
    private boolean isHomeRead(Batch batch, boolean arrivesWhole) {
        return arrivesWhole || isRecordRead(batch, read);
    }

    /** Returns the state of the bucket that was located. */
    public static long located(Batch batch) {
        return batch.word(BEFORE);
    }

    /** Returns the position of the living value of the bucket that was located, or {@link #NONE}. */
    public final long living(Batch batch, long found) {
        long state = located(batch);
        return found >= 0 && Bucket.isLiving(state) ? batch.word(AFTER) + bucket.place(state) : NONE;
    }

    boolean isKey(Batch batch, long position) {
        for (long at = 0; at < bucket.keyBytes; at += Layouts.WORD) {
            if (batch.word(position + at) != batch.word(KEY + at)) {
                return false;
            }
        }
        return true;
    }

    boolean waitsAt(long state) {
        return Bucket.isNameless(state);
    }

    /** Returns true if nothing lies behind this bucket, nor ever will. */
    boolean endsAt(long state) {
        return state == Bucket.CLOSED;
    }

    // --- reading ---

    /** Returns true if one read brings a bucket as it was at one moment. */
    public final boolean arrivesWhole(int owner) {
        return endpoint.atomicReadBytes(owner) >= bucket.size;
    }

    /**
     * Returns how many buckets {@link #readBuckets} may read at once, in whole groups. Two looks at their states take
     * as much of the buffer again, each.
     */
    final long mostBuckets(int owner) {
        long bytes = isReadBetweenLooks(owner) ? 3 * bucket.size : bucket.size;
        return Math.max(group, (Batch.THREAD_BUFFER_BYTES - read) / bytes & -group);
    }

    /** Returns false if buckets arrive whole, or if it takes no round trip to read them one by one. */
    private boolean isReadBetweenLooks(int owner) {
        return !arrivesWhole(owner) && !endpoint.executesAtOnce(owner);
    }

    /** Reads neighbouring buckets, each as it was at one moment, into the buffer from {@link #read} on. */
    public final void readBuckets(Batch batch, int owner, long offset, long count) {
        if (arrivesWhole(owner)) {
            batch.read(owner, offset, read, count * bucket.size);
            batch.complete();
            return;
        }
        if (count > 1 && isReadBetweenLooks(owner)) {
            readBetweenLooks(batch, owner, offset, count);
            return;
        }
        for (long at = 0; at < count * bucket.size; at += bucket.size) {
            readBucket(batch, owner, offset + at, read + at);
        }
    }

    /** Reads in the order of a single bucket: see {@link #readBucket}. Buckets that have changed are read once more. */
    private void readBetweenLooks(Batch batch, int owner, long offset, long count) {
        long bytes = count * bucket.size;
        long before = read + bytes;
        long after = before + bytes;
        long statesBytes = bytes - bucket.size + Layouts.WORD;
        batch.read(owner, offset, before, statesBytes); // (4)
        completeUnlessOrdered(batch, owner);
        batch.read(owner, offset, read, bytes); // (5)
        completeUnlessOrdered(batch, owner);
        batch.read(owner, offset, after, statesBytes); // (6)
        batch.complete();
        for (long at = 0; at < bytes; at += bucket.size) {
            if (accepts(batch.word(before + at), batch.word(after + at))) {
                batch.setWord(read + at, batch.word(before + at));
            } else {
                readBucket(batch, owner, offset + at, read + at);
            }
        }
    }

    private void readBucket(Batch batch, int owner, long offset, long position) {
        boolean asRecord = endpoint.decidesAtOwner(owner); // it is one verb then
        boolean isRead;
        do {
            if (asRecord) {
                addRecord(batch, owner, offset, position);
            } else {
                addBucket(batch, owner, offset, position);
            }
            batch.complete();
            isRead = asRecord ? isRecordRead(batch, position) : isRead(batch, position);
        } while (!isRead);
    }

    private void addBucket(Batch batch, int owner, long offset, long position) {
        // (4) first: a state other than FREE and RESERVED was written after the key (2, 3).
        batch.read(owner, offset, BEFORE, Layouts.WORD);
        completeUnlessOrdered(batch, owner);
        batch.read(owner, offset, position, bucket.size); // (5)
        completeUnlessOrdered(batch, owner);
        // (6) last: if the state has not moved, no thread has written (2) to the place that it names.
        batch.read(owner, offset, AFTER, Layouts.WORD);
    }

    /** As {@link #addBucket}, by one verb: (4), (5) and (6). */
    private void addRecord(Batch batch, int owner, long offset, long position) {
        batch.readRecords(owner, offset, bucket.size, 1, position);
    }

    private boolean isRecordRead(Batch batch, long position) {
        return accepts(batch.word(position), batch.word(position + bucket.size));
    }

    private boolean isRead(Batch batch, long position) {
        boolean isRead = accepts(batch.word(BEFORE), batch.word(AFTER));
        if (isRead) {
            batch.setWord(position, batch.word(BEFORE));
        }
        return isRead;
    }

    boolean accepts(long stateBefore, long stateAfter) {
        return stateBefore == stateAfter;
    }

    private void completeUnlessOrdered(Batch batch, int owner) {
        if (!endpoint.readsInOrder(owner)) {
            batch.complete();
        }
    }
}
