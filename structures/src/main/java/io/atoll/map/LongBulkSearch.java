package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;

/** The searches for several keys among {@link LongBucket}s. A round reads for each key the next line, or several. */
final class LongBulkSearch implements BulkSearch {

    /**
     * As many lines as a read may bring without taking longer. A key that lies behind the first lines costs another
     * round trip, which should be the last one.
     */
    private static final int MOST_LINES = 4;

    /** The first round reads so many, so few keys take no other one. It reads at least one line for each key. */
    private static final int FIRST_LINES = 128;

    /** The most bytes of the buffer that a round takes for a key. */
    static final long MOST_BYTES = MOST_LINES * Layouts.CACHE_LINE;

    private final LongReader reader;
    private final long[] keys;
    private final long[] hashes;
    private final int[] owners;
    private final long[] blocks; // where each key is looked for
    private final long[] steps; // how many buckets of that block are behind
    private final int firstLines; // that the first round reads for each key
    private final int[] lines; // that are read for each key
    private final long[] begins; // the step with which the lines of a key begin
    private final long[] positions; // of these lines in the buffer
    private final long[] words; // of the bucket that was found for each key
    // True if the next bucket has a key for certain, and what was read of that key last time may be too old.
    private final boolean[] keyed;

    LongBulkSearch(LongReader reader, long[] keys) {
        this(reader, keys, Math.clamp(FIRST_LINES / Math.max(1, keys.length), 1, MOST_LINES));
    }

    /** Makes the search for a key whose rounds share their batches with many others. */
    static LongBulkSearch among(LongReader reader, long key) {
        return new LongBulkSearch(reader, new long[]{key}, 1);
    }

    private LongBulkSearch(LongReader reader, long[] keys, int firstLines) {
        this.reader = reader;
        this.firstLines = firstLines;
        this.lines = new int[keys.length];
        this.begins = new long[keys.length];
        this.keys = keys;
        this.hashes = new long[keys.length];
        this.owners = new int[keys.length];
        this.blocks = new long[keys.length];
        this.steps = new long[keys.length];
        this.positions = new long[keys.length];
        this.words = new long[keys.length];
        this.keyed = new boolean[keys.length];
        for (int key = 0; key < keys.length; key++) {
            hashes[key] = reader.hashing.of(keys[key]);
            owners[key] = KeyHash.rank(hashes[key], reader.blocks.ranks());
        }
    }

    @Override
    public int owner(int key) {
        return owners[key];
    }

    @Override
    public long hash(int key) {
        return hashes[key];
    }

    @Override
    public void begin(int key, long block) {
        blocks[key] = block;
        steps[key] = 0;
        keyed[key] = false;
    }

    @Override
    public int read(Batch batch, int[] sought, int count, long position) {
        long at = position;
        int taken = 0;
        for (; taken < count; taken++) {
            int key = sought[taken];
            lines[key] = steps[key] == 0 ? firstLines : MOST_LINES;
            if (at + lines[key] * Layouts.CACHE_LINE > Batch.THREAD_BUFFER_BYTES) {
                break;
            }
            begins[key] = steps[key] & -LongReader.LINE_BUCKETS;
            positions[key] = at;
            at += lines[key] * Layouts.CACHE_LINE;
            readLines(batch, key);
        }
        return taken;
    }

    /** Lines that follow each other in memory are one read. */
    private void readLines(Batch batch, int key) {
        long block = blocks[key];
        long end = Math.min(end(key), Block.buckets(block));
        for (long step = begins[key]; step < end;) {
            long index = index(key, step) & -LongReader.LINE_BUCKETS;
            long count = Math.min(end - step, Block.contiguous(block, index));
            batch.read(owners[key], reader.bucket(owners[key], block, index), line(key, step), count * LongBucket.SIZE);
            step += count;
        }
    }

    /** Returns the step behind the lines that are read. */
    private long end(int key) {
        return begins[key] + lines[key] * LongReader.LINE_BUCKETS;
    }

    /** Returns the position of the line that has the bucket of this step. */
    private long line(int key, long step) {
        return positions[key] + (step - begins[key]) / LongReader.LINE_BUCKETS * Layouts.CACHE_LINE;
    }

    private long bucket(int key, long step) {
        return reader.bucket(owners[key], blocks[key], index(key, step));
    }

    private long index(int key, long step) {
        long home = Block.home(blocks[key], hashes[key]);
        return Block.bucket(blocks[key], home, step, LongReader.LINE_BUCKETS);
    }

    /** A bucket of longs never becomes free again. */
    @Override
    public boolean pass(int key) {
        steps[key]++;
        keyed[key] = false;
        return true;
    }

    @Override
    public long state(int key) {
        return words[key];
    }

    @Override
    public long advance(Batch batch, int key) {
        long block = blocks[key];
        long end = Math.min(end(key), Block.buckets(block));
        while (steps[key] < end) {
            long bucket = bucket(key, steps[key]);
            long at = line(key, steps[key]) + (bucket & Layouts.CACHE_LINE - 1);
            long word = batch.word(at + LongBucket.VALUE); // (4)
            long seen = batch.word(at + LongBucket.KEY); // (5)
            if (LongBucket.hasKey(word)) {
                if (seen == LongReader.UNWRITTEN && !keyed[key] && !reader.arrivesWhole(owners[key])) {
                    // (5) once more, in the next round.
                    keyed[key] = true;
                    return BucketReader.BEHIND;
                }
                if (seen == keys[key]) {
                    words[key] = word;
                    // Additions that came too late may have changed a moved word.
                    return LongBucket.isMoved(word) ? goToNext(key, block) : bucket;
                }
            } else if (word == LongBucket.FREE || reader.waitsAt(word)) {
                words[key] = word;
                return ~bucket;
            }
            if (reader.endsAt(word)) {
                return goToNext(key, block);
            }
            keyed[key] = false;
            steps[key]++;
        }
        return steps[key] < Block.buckets(block) ? BucketReader.BEHIND : goToNext(key, block);
    }

    private long goToNext(int key, long block) {
        long next = reader.blocks.next(owners[key], block);
        if (next == Block.NONE) {
            return LongReader.FULL;
        }
        begin(key, next);
        return BucketReader.BEHIND;
    }
}
