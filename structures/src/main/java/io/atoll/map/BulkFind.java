package io.atoll.map;

import io.atoll.fabric.Batch;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Looks for several keys in rounds, each of which is one round trip to all their owners. The first round reads where
 * the search for each key begins, the next ones read on for the keys that are undecided. The own keys, and those of
 * ranks whose verbs are executed at once, are looked for rank by rank.
 */
final class BulkFind {

    private final BucketReader reader;
    private final SeveralKeys<?> keys;
    private final SeveralKeys.Finder finder;

    BulkFind(BucketReader reader, SeveralKeys<?> keys, SeveralKeys.Finder finder) {
        this.reader = reader;
        this.keys = keys;
        this.finder = finder;
    }

    void run() {
        // Each rank is asked once: meanwhile it may come to be reached otherwise, and no key may be forgotten.
        BitSet atOnce = IntStream.range(0, reader.blocks.ranks())
                .filter(reader.endpoint::executesAtOnce)
                .collect(BitSet::new, BitSet::set, BitSet::or);
        int[] remote = keys.numbers(owner -> !atOnce.get(owner));
        if (remote.length > 0) {
            try (Batch batch = reader.endpoint.batch()) {
                run(batch, remote);
            }
        }
        if (remote.length == keys.count()) {
            return;
        }
        for (int rank : atOnce.stream().toArray()) {
            int[] ofRank = keys.numbers(owner -> owner == rank);
            if (ofRank.length > 0) {
                try (Batch batch = reader.endpoint.batch(rank)) {
                    run(batch, ofRank);
                }
            }
        }
    }

    private void run(Batch batch, int[] undecided) {
        int first = keys.owner(undecided[0]);
        BulkSearch search = new BulkSearch(reader, keys, BulkSearch.Reach.of(reader, first), true);
        for (int key : undecided) {
            search.begin(key, reader.blocks.first(keys.owner(key)));
        }
        int count = undecided.length;
        while (count > 0) {
            int read = search.read(batch, undecided, count, reader.read);
            int left = 0;
            for (int place = 0; place < count; place++) {
                int key = undecided[place];
                if (place >= read || !isDecided(batch, search, key)) {
                    undecided[left++] = key;
                }
            }
            count = left;
        }
    }

    private boolean isDecided(Batch batch, BulkSearch search, int key) {
        keys.placeKey(key, batch);
        long found = search.advance(batch, key);
        if (found == BucketReader.BEHIND) {
            return false;
        }
        finder.found(key, batch, found);
        return true;
    }
}
