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

    private final BucketSearch search;
    private final int owner;
    private final SeveralKeys<?> keys;
    private final SeveralKeys.Finder finder;
    private final boolean whole;
    private final int group; // buckets that are read for each key
    private final long slotBytes;

    public BulkFind(BucketSearch search, int owner, SeveralKeys<?> keys, SeveralKeys.Finder finder) {
        this.search = search;
        this.owner = owner;
        this.keys = keys;
        this.finder = finder;
        this.whole = search.whole(owner);
        this.group = whole ? search.group : 1;
        this.slotBytes = group * search.bucket.size + (whole ? 0 : STATES_BYTES);
    }

    public void run() {
        int most = (int) Math.max(1, (Batch.THREAD_BUFFER_BYTES - search.read) / slotBytes);
        for (int from = 0; from < keys.count(); from += most) {
            run(from, Math.min(keys.count(), from + most));
        }
    }

    private void run(int from, int to) {
        long block = search.blocks.first(owner);
        try (Batch batch = search.endpoint.batch(owner)) {
            read(batch, block, from, to);
            List<Integer> undecided = new ArrayList<>();
            for (int key = from; key < to; key++) {
                keys.placeKey(key, batch);
                long found = judge(batch, block, slot(key - from), keys.hash(key));
                if (found == BucketSearch.BEHIND) {
                    undecided.add(key);
                } else {
                    finder.found(key, batch, found);
                }
            }
            undecided.forEach(key -> findAlone(batch, key));
        }
    }

    private long slot(int place) {
        return search.read + place * slotBytes;
    }

    private void read(Batch batch, long block, int from, int to) {
        if (!whole) {
            // Read in the order of a single bucket: see BucketSearch.readBucket (3), (4).
            readStates(batch, block, from, to, BEFORE);
        }
        for (int key = from; key < to; key++) {
            long position = slot(key - from) + (whole ? 0 : STATES_BYTES);
            batch.read(owner, search.offset(owner, block, home(block, key) & -group), position,
                    group * search.bucket.size);
        }
        if (!whole) {
            completeUnlessOrdered(batch);
            readStates(batch, block, from, to, AFTER);
        }
        batch.complete();
    }

    private void readStates(Batch batch, long block, int from, int to, long position) {
        for (int key = from; key < to; key++) {
            batch.read(owner, search.offset(owner, block, home(block, key)), slot(key - from) + position, Layouts.WORD);
        }
        completeUnlessOrdered(batch);
    }

    private void completeUnlessOrdered(Batch batch) {
        if (!search.endpoint.readsInOrder(owner)) {
            batch.complete();
        }
    }

    private long home(long block, int key) {
        return Block.home(block, keys.hash(key));
    }

    /**
     * As {@link BucketSearch#judge}, for what was read for one key. It also returns BEHIND if the key must be looked
     * for in the next block.
     */
    private long judge(Batch batch, long block, long slot, long hash) {
        long home = Block.home(block, hash);
        for (int step = 0; step < group; step++) {
            long index = Block.bucket(block, home, step, group);
            long position = slot + (whole ? (index & group - 1) * search.bucket.size : STATES_BYTES);
            if (!whole) {
                long before = batch.word(slot + BEFORE);
                if (!search.accepts(before, batch.word(slot + AFTER))) {
                    return BucketSearch.BEHIND;
                }
                batch.setWord(position, before);
            }
            long found = search.judge(batch, search.offset(owner, block, index), position);
            if (found != BucketSearch.BEHIND) {
                boolean isElsewhere = found == BucketSearch.FULL
                        || found >= 0 && BucketSearch.located(batch) == Bucket.MOVED;
                return isElsewhere ? BucketSearch.BEHIND : found;
            }
        }
        return BucketSearch.BEHIND;
    }

    private void findAlone(Batch batch, int key) {
        keys.placeKey(key, batch);
        finder.found(key, batch, search.locate(batch, owner, search.blocks.first(owner), keys.hash(key), whole));
    }
}
