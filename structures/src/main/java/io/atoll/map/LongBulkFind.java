package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import java.util.BitSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Looks for several keys, in {@link FindRounds}. Where a look is no verb, keys are looked for one by one. */
final class LongBulkFind {

    private final LongReader reader;
    private final long[] keys;
    private final long[] words;
    private final LongBulkSearch search;
    private final LostOwners lost;

    /** @param lost owners that are not asked any more */
    LongBulkFind(LongReader reader, long[] keys, LostOwners lost) {
        this.reader = reader;
        this.keys = keys;
        this.words = new long[keys.length];
        this.search = new LongBulkSearch(reader, keys);
        this.lost = lost;
    }

    /** Returns the keys' words. The word of a key that has no value is not present. */
    long[] words() {
        Token token = reader.blocks.begin();
        try {
            // Each rank is asked once: meanwhile it may come to be reached otherwise, and no key may be forgotten.
            BitSet mapped = ranks(owner -> reader.endpoint.mapped(owner) != null);
            BitSet atOnce = ranks(owner -> !mapped.get(owner) && reader.endpoint.executesAtOnce(owner));
            for (int key = 0; key < keys.length; key++) {
                int owner = search.owner(key);
                if (mapped.get(owner)) {
                    findMapped(key, owner);
                }
            }
            find(numbers(owner -> !mapped.get(owner) && !atOnce.get(owner)));
            atOnce.stream().forEach(rank -> find(numbers(owner -> owner == rank)));
        } finally {
            reader.blocks.end(token);
        }
        return words;
    }

    private void findMapped(int key, int owner) {
        if (lost.has(owner)) {
            return;
        }
        try {
            words[key] = reader.word(owner, reader.blocks.first(owner), keys[key]);
        } catch (RankUnreachableException failure) {
            lost.add(owner, failure);
        }
    }

    private BitSet ranks(IntPredicate isOne) {
        return IntStream.range(0, reader.blocks.ranks())
                .filter(isOne)
                .collect(BitSet::new, BitSet::set, BitSet::or);
    }

    private int[] numbers(IntPredicate isOwner) {
        return IntStream.range(0, keys.length).filter(key -> isOwner.test(search.owner(key))).toArray();
    }

    /** Finds keys of one owner, or of owners that are reached through the fabric. */
    private void find(int[] undecided) {
        if (undecided.length == 0) {
            return;
        }
        int first = search.owner(undecided[0]);
        try (Batch batch = reader.endpoint.executesAtOnce(first)
                ? reader.endpoint.batch(first)
                : reader.endpoint.batch()) {
            new FindRounds(search, reader.blocks, undecided, 0, this::found, lost).run(batch);
        }
    }

    private void found(int key, Batch batch, long bucket) {
        words[key] = bucket < 0 ? LongBucket.ABSENT : search.state(key);
    }
}
