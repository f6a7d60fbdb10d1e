package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.Prefetch;
import java.util.BitSet;

/**
 * Looks for several keys, those of other ranks in {@link FindRounds}. The own keys, and those of ranks whose verbs are
 * executed at once, are looked for rank by rank.
 */
final class BulkFind {

    private final BucketReader reader;
    private final SeveralKeys<?> keys;
    private final SeveralKeys.Finder finder;
    private final LostOwners lost;

    /** @param lost owners that are not asked any more */
    BulkFind(BucketReader reader, SeveralKeys<?> keys, SeveralKeys.Finder finder, LostOwners lost) {
        this.reader = reader;
        this.keys = keys;
        this.finder = finder;
        this.lost = lost;
    }

    void run() {
        // Each rank is asked once: meanwhile it may come to be reached otherwise, and no key may be forgotten.
        BitSet atOnce = new BitSet();
        for (int rank = 0; rank < reader.blocks.ranks(); rank++) {
            atOnce.set(rank, reader.endpoint.executesAtOnce(rank));
        }
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
                prefetch(ofRank);
                try (Batch batch = reader.endpoint.batch(rank)) {
                    run(batch, ofRank);
                }
            }
        }
    }

    /** Loads the homes of keys of one rank, if its segment is mapped. */
    private void prefetch(int[] numbers) {
        int owner = keys.owner(numbers[0]);
        LocalMemory mapped = reader.endpoint.mapped(owner);
        if (mapped == null || numbers.length < Prefetch.FEWEST) {
            return;
        }
        lost.run(owner, () -> prefetch(mapped, reader.blocks.first(owner), numbers));
    }

    private void prefetch(LocalMemory mapped, long first, int[] numbers) {
        if (!Block.isWhole(first)) {
            return;
        }
        long sum = 0;
        for (int key : numbers) {
            sum += mapped.get(Pieces.offset(null, first, Block.home(first, keys.hash(key)), reader.bucket.size));
        }
        Prefetch.keep(sum);
    }

    private void run(Batch batch, int[] undecided) {
        BulkSearch search = new BucketBulkSearch(reader, keys,
                BucketBulkSearch.Reach.of(reader, keys.owner(undecided[0])), true);
        new FindRounds(search, reader.blocks, undecided, reader.read, finder, lost).run(batch);
    }
}
