package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.RecordRead;
import io.atoll.memory.Layouts;

/**
 * The searches for several keys among {@link Bucket}s. A round reads as many buckets for each key as the buffer has
 * room for. So it looks further if fewer keys are left.
 *
 * <p>Buckets that do not arrive whole are read as {@link BucketReader} does it. A look at the states comes before the
 * entries (4), and another one behind them (6). Where the owner decides guards, it reads the buckets as records,
 * each between the two looks at its state. Elsewhere these looks are reads of their own. A search that does not want
 * values does without the second look. It sees a state with a key before it sees that key (5), and a bucket's key never
 * changes.
 */
final class BucketBulkSearch implements BulkSearch {

    /** A round reads at most so many buckets for a key. The search for a key almost never passes more. */
    private static final int MOST_BUCKETS = Placement.FEWEST_BUCKETS;

    /**
     * A round reads so many records for each key if it has no room for whole groups. For some keys the group ends
     * before that, so another round is needed anyway. More records would cost the owner more cache misses.
     */
    private static final int FEW = 2;

    /** How this process reads the buckets of a rank. */
    record Reach(boolean arrivesWhole, boolean asRecords, boolean inOrder, boolean atOnce) {

        static Reach of(BucketReader reader, int owner) {
            boolean arrivesWhole = reader.arrivesWhole(owner);
            return new Reach(arrivesWhole, !arrivesWhole && reader.endpoint.decidesAtOwner(owner),
                    reader.endpoint.readsInOrder(owner), reader.endpoint.executesAtOnce(owner));
        }

        /** Returns true if reads of all states come before the reads of the entries, and once more after them. */
        private boolean betweenLooks() {
            return !arrivesWhole && !asRecords;
        }
    }

    private final BucketReader reader;
    private final SeveralKeys<?> keys;
    private final Reach reach;
    private final boolean withValues;
    private final long[] blocks; // where each key is looked for
    private final long[] steps; // how many buckets of that block are behind
    // What a round reads for each key: buckets from the first one on, so many, to this position of the buffer.
    private final long[] firsts;
    private final byte[] widths;
    private final int[] positions;
    private long state; // of the bucket that was found last

    /**
     * @param reach of the owners of all keys that are looked for
     * @param withValues false if no value of what is found is needed
     */
    BucketBulkSearch(BucketReader reader, SeveralKeys<?> keys, Reach reach, boolean withValues) {
        this.reader = reader;
        this.keys = keys;
        this.reach = reach;
        this.withValues = withValues;
        this.blocks = new long[keys.count()];
        this.steps = new long[keys.count()];
        this.firsts = new long[keys.count()];
        this.widths = new byte[keys.count()];
        this.positions = new int[keys.count()];
    }

    /** Makes the search for a key whose rounds share their batches with many others. */
    static BucketBulkSearch among(BucketReader reader, SeveralKeys<?> one) {
        return new BucketBulkSearch(reader, one, Reach.of(reader, one.owner(0)), true);
    }

    @Override
    public int owner(int key) {
        return keys.owner(key);
    }

    @Override
    public long hash(int key) {
        return keys.hash(key);
    }

    @Override
    public void begin(int key, long block) {
        blocks[key] = block;
        steps[key] = 0;
    }

    @Override
    public int read(Batch batch, int[] sought, int count, long position) {
        int taken = layOut(sought, count, position);
        if (reach.asRecords) {
            for (int place = 0; place < taken; place++) {
                readRecords(batch, sought[place]);
            }
            return taken;
        }
        if (reach.betweenLooks()) {
            for (int place = 0; place < taken; place++) {
                readStates(batch, sought[place], 0);
            }
            completeUnlessOrdered(batch);
        }
        for (int place = 0; place < taken; place++) {
            int key = sought[place];
            batch.read(keys.owner(key), offset(key, firsts[key]), entries(key), entriesBytes(widths[key]));
        }
        if (reach.betweenLooks() && withValues) {
            completeUnlessOrdered(batch);
            for (int place = 0; place < taken; place++) {
                int key = sought[place];
                readStates(batch, key, entries(key) - positions[key] + entriesBytes(widths[key]));
            }
        }
        return taken;
    }

    /** (4), (5) and (6) of each bucket. */
    private void readRecords(Batch batch, int key) {
        batch.readRecords(keys.owner(key), offset(key, firsts[key]), recordBytes(widths[key]), widths[key],
                positions[key]);
    }

    private void completeUnlessOrdered(Batch batch) {
        if (!reach.inOrder) {
            batch.complete();
        }
    }

    private void readStates(Batch batch, int key, long behind) {
        batch.read(keys.owner(key), offset(key, firsts[key]), positions[key] + behind, statesBytes(widths[key]));
    }

    private long offset(int key, long index) {
        return reader.offset(keys.owner(key), blocks[key], index);
    }

    // --- what is read ---

    private int layOut(int[] sought, int count, long position) {
        int width = width((Batch.THREAD_BUFFER_BYTES - position) / Math.max(1, count));
        long at = position;
        int taken = 0;
        for (; taken < count; taken++) {
            int key = sought[taken];
            chooseBuckets(key, width);
            positions[key] = (int) at;
            at += bytes(widths[key]);
            if (at > Batch.THREAD_BUFFER_BYTES) {
                break;
            }
        }
        return taken;
    }

    /** Chooses the next buckets of a search: whole groups if there is room, else buckets up to the end of a group. */
    private void chooseBuckets(int key, int width) {
        int group = reader.group;
        long block = blocks[key];
        long next = Block.bucket(block, Block.home(block, keys.hash(key)), steps[key], group);
        long first = width < group ? next : next & -group;
        long most = width < group ? group - (next & group - 1) : Block.contiguous(block, first);
        firsts[key] = first;
        widths[key] = (byte) Math.min(width < group ? width : width & -group, most);
    }

    /** Returns how many buckets take at most this many bytes, but one or more. */
    private int width(long share) {
        int least = reach.arrivesWhole ? reader.group : 1;
        if (reach.atOnce) {
            return least;
        }
        if (reach.asRecords) {
            long most = share / RecordRead.arriving(reader.bucket.size);
            return Math.clamp(most < reader.group ? Math.min(most, FEW) : most, least, MOST_BUCKETS);
        }
        long more = (share - bytes(1)) / (bytes(2) - bytes(1));
        return Math.clamp(1 + more, least, MOST_BUCKETS);
    }

    @Override
    public long mostBytes() {
        return bytes(MOST_BUCKETS);
    }

    private long bytes(int width) {
        if (reach.asRecords) {
            return width * RecordRead.arriving(recordBytes(width));
        }
        int looks = reach.arrivesWhole ? 0 : withValues ? 2 : 1;
        return looks * statesBytes(width) + entriesBytes(width);
    }

    /** Returns the bytes from the first state to the last one. */
    private long statesBytes(int width) {
        return (width - 1) * reader.bucket.size + Layouts.WORD;
    }

    private long entriesBytes(int width) {
        return reach.arrivesWhole || withValues
                ? width * reader.bucket.size
                : statesBytes(width) + reader.bucket.keyBytes; // the key follows the state
    }

    private long entries(int key) {
        return positions[key] + (reach.betweenLooks() ? statesBytes(widths[key]) : 0);
    }

    /** Returns the bytes from one record to the next. A single one that is not wanted for its value ends at the key. */
    private long recordBytes(int width) {
        return withValues || width > 1 ? reader.bucket.size : Layouts.WORD + reader.bucket.keyBytes;
    }

    // --- what that says ---

    @Override
    public long state(int key) {
        return state;
    }

    /** A bucket becomes free again if the thread that has reserved it fails. Then nothing may lie behind it. */
    @Override
    public boolean pass(int key) {
        return false;
    }

    /** As {@link BulkSearch#advance}. The bucket that was found is {@linkplain BucketReader#located at hand}. */
    @Override
    public long advance(Batch batch, int key) {
        keys.placeKey(key, batch);
        long found = find(batch, key);
        // A bucket that is to be taken may be reserved, for a key that is not known yet. Then the exchange fails.
        state = found < 0 ? Bucket.FREE : BucketReader.located(batch);
        return found;
    }

    private long find(Batch batch, int key) {
        long block = blocks[key];
        long home = Block.home(block, keys.hash(key));
        long first = firsts[key];
        for (; steps[key] < Block.buckets(block); steps[key]++) {
            long index = Block.bucket(block, home, steps[key], reader.group);
            long place = index - first;
            if (place < 0 || place >= widths[key]) {
                return BucketReader.BEHIND;
            }
            long position = reach.asRecords
                    ? positions[key] + place * RecordRead.arriving(reader.bucket.size)
                    : entries(key) + place * reader.bucket.size;
            if (!isSteady(batch, key, place, position)) {
                return BucketReader.BEHIND;
            }
            long found = reader.classify(batch, offset(key, index), position);
            if (found == BucketReader.FULL || found >= 0 && BucketReader.located(batch) == Bucket.MOVED) {
                return goToNext(key, block);
            }
            if (found != BucketReader.BEHIND) {
                return found;
            }
        }
        return goToNext(key, block);
    }

    /** Puts the state as it was before the entry in front of the entry. Returns false if it has moved since. */
    private boolean isSteady(Batch batch, int key, long place, long position) {
        if (reach.arrivesWhole) {
            return true;
        }
        if (reach.asRecords) {
            return !withValues || reader.accepts(batch.word(position), batch.word(position + reader.bucket.size));
        }
        long before = batch.word(positions[key] + place * reader.bucket.size);
        long after = entries(key) + entriesBytes(widths[key]) + place * reader.bucket.size;
        batch.setWord(position, before);
        return !withValues || reader.accepts(before, batch.word(after));
    }

    private long goToNext(int key, long block) {
        long next = reader.blocks.next(keys.owner(key), block);
        if (next == Block.NONE) {
            return BucketReader.FULL;
        }
        begin(key, next);
        return BucketReader.BEHIND;
    }
}
