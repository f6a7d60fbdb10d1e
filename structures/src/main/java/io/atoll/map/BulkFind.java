package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for several keys of one owner at once. One round trip reads the place where the search for each key begins.
 * That is a group of buckets if buckets arrive whole; else it is one bucket, between two looks at its state. Keys that
 * this does not decide are looked for one by one.
 */
final class BulkFind {

    // The two looks at the state stand before a bucket that does not arrive whole.
    private static final long BEFORE = 0;
    private static final long AFTER = BEFORE + Layouts.WORD;
    private static final long STATES_BYTES = AFTER + Layouts.WORD;

    private final BucketReader reader;
    private final int owner;
    private final SeveralKeys<?> keys;
    private final SeveralKeys.Finder finder;
    private final boolean whole;
    private final int group; // buckets that are read for each key
    private final long slotBytes;

    public BulkFind(BucketReader reader, int owner, SeveralKeys<?> keys, SeveralKeys.Finder finder) {
        this.reader = reader;
        this.owner = owner;
        this.keys = keys;
        this.finder = finder;
        this.whole = reader.whole(owner);
        this.group = whole ? reader.group : 1;
        this.slotBytes = group * reader.bucket.size + (whole ? 0 : STATES_BYTES);
    }

    public void run() {
        int most = (int) Math.max(1, (Batch.THREAD_BUFFER_BYTES - reader.read) / slotBytes);
        for (int from = 0; from < keys.count(); from += most) {
            run(from, Math.min(keys.count(), from + most));
        }
    }

    private void run(int from, int to) {
        long block = reader.blocks.first(owner);
        try (Batch batch = reader.endpoint.batch(owner)) {
            read(batch, block, from, to);
            List<Integer> undecided = new ArrayList<>();
            for (int key = from; key < to; key++) {
                keys.placeKey(key, batch);
                long found = classify(batch, block, slot(key - from), keys.hash(key));
                if (found == BucketReader.BEHIND) {
                    undecided.add(key);
                } else {
                    finder.found(key, batch, found);
                }
            }
            undecided.forEach(key -> findAlone(batch, key));
        }
    }

    private long slot(int place) {
        return reader.read + place * slotBytes;
    }

    private void read(Batch batch, long block, int from, int to) {
        if (!whole) {
            // Read in the order of a single bucket: see BucketReader.readBucket (4) to (6).
            readStates(batch, block, from, to, BEFORE);
        }
        for (int key = from; key < to; key++) {
            long position = slot(key - from) + (whole ? 0 : STATES_BYTES);
            batch.read(owner, reader.offset(owner, block, home(block, key) & -group), position,
                    group * reader.bucket.size);
        }
        if (!whole) {
            completeUnlessOrdered(batch);
            readStates(batch, block, from, to, AFTER);
        }
        batch.complete();
    }

    private void readStates(Batch batch, long block, int from, int to, long position) {
        for (int key = from; key < to; key++) {
            batch.read(owner, reader.offset(owner, block, home(block, key)), slot(key - from) + position, Layouts.WORD);
        }
        completeUnlessOrdered(batch);
    }

    private void completeUnlessOrdered(Batch batch) {
        if (!reader.endpoint.readsInOrder(owner)) {
            batch.complete();
        }
    }

    private long home(long block, int key) {
        return Block.home(block, keys.hash(key));
    }

    /**
     * As {@link BucketReader#classify}, for what was read for one key. It also returns BEHIND if the key must be looked
     * for in the next block.
     */
    private long classify(Batch batch, long block, long slot, long hash) {
        long home = Block.home(block, hash);
        for (int step = 0; step < group; step++) {
            long index = Block.bucket(block, home, step, group);
            long position = slot + (whole ? (index & group - 1) * reader.bucket.size : STATES_BYTES);
            if (!whole) {
                long before = batch.word(slot + BEFORE);
                if (!reader.accepts(before, batch.word(slot + AFTER))) {
                    return BucketReader.BEHIND;
                }
                batch.setWord(position, before);
            }
            long found = reader.classify(batch, reader.offset(owner, block, index), position);
            if (found != BucketReader.BEHIND) {
                boolean isElsewhere = found == BucketReader.FULL
                        || found >= 0 && BucketReader.located(batch) == Bucket.MOVED;
                return isElsewhere ? BucketReader.BEHIND : found;
            }
        }
        return BucketReader.BEHIND;
    }

    private void findAlone(Batch batch, int key) {
        keys.placeKey(key, batch);
        finder.found(key, batch, reader.locate(batch, owner, reader.blocks.first(owner), keys.hash(key), whole));
    }
}
