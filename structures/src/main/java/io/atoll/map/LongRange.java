package io.atoll.map;

import io.atoll.fabric.Batch;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads the entries of one rank whose hashes are neighbours, for an iteration. It reads them in the rank's block, and
 * then in the next blocks while that block is being moved. A key that was found in one block and was not moved is
 * skipped in the next ones: it may be a copy there. Ranges are of hashes, so that it does not matter if the block is
 * replaced between two of them.
 */
final class LongRange {

    /** The number of buckets that the buffer holds. */
    static final long BUCKETS = Batch.THREAD_BUFFER_BYTES / LongBucket.SIZE;

    private final LongReader reader;
    private final int owner;
    private final long from; // homes of the largest block
    private final long most;
    private long to;
    private long buckets;

    // Key and word, by turns, of each bucket that has a key and was not moved.
    private long[] entries = new long[128];
    private int size;

    /** @param most buckets of the block in which searches begin, whole lines of them; no more than {@link #BUCKETS} */
    LongRange(LongReader reader, int owner, long from, long most) {
        this.reader = reader;
        this.owner = owner;
        this.from = from;
        this.most = most;
    }

    /** Returns where the next range begins. */
    long to() {
        return to;
    }

    /** Returns how many buckets the range has in the block in which searches begin. */
    long buckets() {
        return buckets;
    }

    /** Returns how many entries were visited. */
    int forEach(LongVisitor visitor) {
        int visited = 0;
        for (int at = 0; at < size; at += 2) {
            if (LongBucket.isPresent(entries[at + 1])) {
                visitor.visit(entries[at], LongBucket.value(entries[at + 1]));
                visited++;
            }
        }
        return visited;
    }

    /** @param first the block in which searches begin, or {@link Block#NONE} if there is none */
    void read(long first) {
        if (first == Block.NONE) {
            to = Block.HOMES;
            return;
        }
        buckets = Math.min(most, Block.buckets(first) - begin(first));
        to = (begin(first) + buckets) * Block.homesPerBucket(first);
        Set<Long> known = new HashSet<>();
        for (long block = first; block != Block.NONE; block = reader.blocks.next(owner, block)) {
            readBlock(block, known);
            if (reader.blocks.canGrow()) {
                for (int at = 0; at < size; at += 2) {
                    known.add(entries[at]);
                }
            }
        }
    }

    /** Returns the first bucket of a whole line: an entry may be in any bucket of the line where it is at home. */
    private long begin(long block) {
        return from / Block.homesPerBucket(block) & -LongReader.LINE_BUCKETS;
    }

    private void readBlock(long block, Set<Long> known) {
        long begin = begin(block);
        long end = to / Block.homesPerBucket(block);
        for (long index = begin; index < end;) {
            long count = Math.min(BUCKETS, Math.min(end - index, Block.contiguous(block, index)));
            readBuckets(block, index, count, known);
            index += count;
        }
        if (reader.blocks.canGrow()) {
            // Keys that are at home in the range may have found a place only behind it.
            long index = end;
            while (index < begin + Block.buckets(block) && readBuckets(block, index, LongReader.LINE_BUCKETS, known)) {
                index += LongReader.LINE_BUCKETS;
            }
        }
    }

    /** Returns true if all of the buckets have keys. */
    private boolean readBuckets(long block, long index, long count, Set<Long> known) {
        long first = reader.bucket(owner, block, index & Block.buckets(block) - 1);
        try (Batch batch = reader.endpoint.batch(owner)) {
            batch.read(owner, first, 0, count * LongBucket.SIZE);
            batch.complete();
            boolean full = true;
            for (long at = 0; at < count * LongBucket.SIZE; at += LongBucket.SIZE) {
                long word = batch.word(at + LongBucket.VALUE);
                full &= LongBucket.hasKey(word) || word == LongBucket.VOID;
                if (LongBucket.hasKey(word) && !LongBucket.isMoved(word)) {
                    add(reader.written(owner, first + at, batch.word(at + LongBucket.KEY)), word, known);
                }
            }
            return full;
        }
    }

    private void add(long key, long word, Set<Long> known) {
        if (reader.blocks.canGrow() && (!isInRange(key) || known.contains(key))) {
            return;
        }
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        entries[size++] = key;
        entries[size++] = word;
    }

    private boolean isInRange(long key) {
        long home = Block.home(reader.hashing.of(key));
        return home >= from && home < to;
    }
}
