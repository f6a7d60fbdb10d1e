package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import org.jspecify.annotations.Nullable;

/** The searches for several keys among {@link LongBucket}s. A round reads for each key the next line, or several. */
final class LongBulkSearch implements BulkSearch {

    /**
     * As many lines as a read may bring without taking longer. A key that lies behind the first lines costs another
     * round trip, which should be the last one.
     */
    private static final int MOST_LINES = 4;

    /** The first round reads so many, so few keys take no other one. It reads at least one line for each key. */
    private static final int FIRST_LINES = 128;

    private final LongReader reader;
    private final int ranks;
    private final long[] keys;
    private final long[] hashes;
    private final long[] blocks; // where each key is looked for
    private final long[] steps; // how many buckets of that block are behind
    private final int firstLines; // that the first round reads for each key
    private final long[] begins; // the step with which the lines begin that were read for each key
    private final int[] positions; // of these lines in the buffer
    private final long[] words; // of the bucket that was found for each key
    // True if the next bucket surely has a key, but the last read may have brought the words that were there before it.
    // Null as long as there is no such bucket.
    private boolean @Nullable [] keyed;

    LongBulkSearch(LongReader reader, long[] keys) {
        this(reader, keys, Math.clamp(FIRST_LINES / Math.max(1, keys.length), 1, MOST_LINES));
    }

    /** Makes the search for a key whose rounds share their batches with many others. */
    static LongBulkSearch among(LongReader reader, long key) {
        return new LongBulkSearch(reader, new long[]{key}, 1);
    }

    private LongBulkSearch(LongReader reader, long[] keys, int firstLines) {
        this.reader = reader;
        this.ranks = reader.blocks.ranks();
        this.firstLines = firstLines;
        this.keys = keys;
        this.hashes = new long[keys.length];
        this.blocks = new long[keys.length];
        this.steps = new long[keys.length];
        this.begins = new long[keys.length];
        this.positions = new int[keys.length];
        this.words = new long[keys.length];
        for (int key = 0; key < keys.length; key++) {
            hashes[key] = reader.hashing.of(keys[key]);
        }
    }

    @Override
    public int owner(int key) {
        return KeyHash.rank(hashes[key], ranks);
    }

    @Override
    public long hash(int key) {
        return hashes[key];
    }

    @Override
    public void begin(int key, long block) {
        blocks[key] = block;
        steps[key] = 0;
        setKeyed(key, false);
    }

    private void setKeyed(int key, boolean isKeyed) {
        if (isKeyed && keyed == null) {
            keyed = new boolean[keys.length];
        }
        if (keyed != null) {
            keyed[key] = isKeyed;
        }
    }

    @Override
    public int read(Batch batch, int[] sought, int count, long position) {
        long at = position;
        int taken = 0;
        for (; taken < count; taken++) {
            int key = sought[taken];
            begins[key] = steps[key] & -LongReader.LINE_BUCKETS;
            long bytes = lines(key) * Layouts.CACHE_LINE;
            if (at + bytes > Batch.THREAD_BUFFER_BYTES) {
                break;
            }
            positions[key] = (int) at;
            at += bytes;
            readLines(batch, key);
        }
        return taken;
    }

    /** Returns how many lines a round reads for a key. */
    private long lines(int key) {
        return begins[key] == 0 ? firstLines : MOST_LINES;
    }

    /** Returns the step behind the lines that a round reads. */
    private long end(int key) {
        return Math.min(begins[key] + lines(key) * LongReader.LINE_BUCKETS, Block.buckets(blocks[key]));
    }

    @Override
    public long mostBytes() {
        return MOST_LINES * Layouts.CACHE_LINE;
    }

    /** Lines that follow each other in memory are one read. */
    private void readLines(Batch batch, int key) {
        long block = blocks[key];
        int owner = owner(key);
        long home = Block.home(block, hashes[key]);
        long end = end(key);
        for (long step = begins[key]; step < end;) {
            long index = Block.bucket(block, home, step, LongReader.LINE_BUCKETS) & -LongReader.LINE_BUCKETS;
            long count = Math.min(end - step, Block.contiguous(block, index));
            batch.read(owner, reader.bucket(owner, block, index), line(key, step), count * LongBucket.SIZE);
            step += count;
        }
    }

    /** Returns the position of the line of a bucket that was read. */
    private long line(int key, long step) {
        return positions[key] + (step - begins[key]) / LongReader.LINE_BUCKETS * Layouts.CACHE_LINE;
    }

    /** A bucket of longs never becomes free again. */
    @Override
    public boolean pass(int key) {
        steps[key]++;
        setKeyed(key, false);
        return true;
    }

    @Override
    public long state(int key) {
        return words[key];
    }

    @Override
    public long advance(Batch batch, int key) {
        long block = blocks[key];
        long home = Block.home(block, hashes[key]);
        long end = end(key);
        for (; steps[key] < end; steps[key]++) {
            long index = Block.bucket(block, home, steps[key], LongReader.LINE_BUCKETS);
            long at = line(key, steps[key]) + index % LongReader.LINE_BUCKETS * LongBucket.SIZE;
            long word = batch.word(at + LongBucket.VALUE); // (4)
            long seen = batch.word(at + LongBucket.KEY); // (5)
            if (LongBucket.hasKey(word)) {
                if (seen == LongReader.UNWRITTEN && !isKeyed(key) && !reader.arrivesWhole(owner(key))) {
                    // (5) once more, in the next round.
                    setKeyed(key, true);
                    return BucketReader.BEHIND;
                }
                if (seen == keys[key]) {
                    words[key] = word;
                    // Additions that came too late may have changed a moved word.
                    return LongBucket.isMoved(word) ? goToNext(key, block) : reader.bucket(owner(key), block, index);
                }
            } else if (word == LongBucket.FREE || reader.waitsAt(word)) {
                words[key] = word;
                return ~reader.bucket(owner(key), block, index);
            }
            if (reader.endsAt(word)) {
                return goToNext(key, block);
            }
            setKeyed(key, false);
        }
        return steps[key] < Block.buckets(block) ? BucketReader.BEHIND : goToNext(key, block);
    }

    private boolean isKeyed(int key) {
        return keyed != null && keyed[key];
    }

    private long goToNext(int key, long block) {
        long next = reader.blocks.next(owner(key), block);
        if (next == Block.NONE) {
            return LongReader.FULL;
        }
        begin(key, next);
        return BucketReader.BEHIND;
    }
}
