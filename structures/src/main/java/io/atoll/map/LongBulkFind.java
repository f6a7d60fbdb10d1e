package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.Prefetch;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Looks for several keys, in {@link FindRounds}. Where a look is no verb, keys are looked for one by one. */
final class LongBulkFind {

    private final LongReader reader;
    private final long[] keys;
    private final long[] words;
    private final int from;
    private final LostOwners lost;

    /**
     * @param words where the keys' words are placed, from this index on. The word of a key that has no value is not
     * present
     * @param lost owners that are not asked any more
     */
    LongBulkFind(LongReader reader, long[] keys, long[] words, int from, LostOwners lost) {
        this.reader = reader;
        this.keys = keys;
        this.words = words;
        this.from = from;
        this.lost = lost;
    }

    void run() {
        Token token = reader.blocks.begin();
        try {
            int ranks = reader.blocks.ranks();
            // Each rank is asked once: meanwhile it may come to be reached otherwise, and no key may be forgotten.
            @Nullable LocalMemory[] mapped = new LocalMemory[ranks];
            BitSet atOnce = new BitSet();
            for (int owner = 0; owner < ranks; owner++) {
                mapped[owner] = reader.endpoint.mapped(owner);
                atOnce.set(owner, mapped[owner] == null && reader.endpoint.executesAtOnce(owner));
            }
            findUnmapped(findMapped(mapped), atOnce);
        } finally {
            reader.blocks.end(token);
        }
    }

    /** Finds the keys of mapped segments. Returns the numbers of the others. */
    private int[] findMapped(@Nullable LocalMemory[] mapped) {
        long[] firsts = new long[mapped.length]; // each owner is asked once; NONE before, and if it is lost
        int[] others = {};
        int count = 0;
        for (int key = 0; key < keys.length; key++) {
            if (key % Prefetch.MOST == 0) {
                prefetch(mapped, firsts, key, Math.min(keys.length, key + Prefetch.MOST));
            }
            long hash = reader.hashing.of(keys[key]);
            int owner = KeyHash.rank(hash, mapped.length);
            LocalMemory memory = mapped[owner];
            if (memory != null) {
                findMapped(memory, owner, first(firsts, owner), hash, key);
            } else {
                others = count == 0 ? new int[keys.length - key] : others;
                others[count++] = key;
            }
        }
        return count == others.length ? others : Arrays.copyOf(others, count);
    }

    /** Loads the homes of the keys from one number on to another. */
    private void prefetch(@Nullable LocalMemory[] mapped, long[] firsts, int begin, int end) {
        if (end - begin < Prefetch.FEWEST) {
            return;
        }
        long sum = 0;
        for (int key = begin; key < end; key++) {
            long hash = reader.hashing.of(keys[key]);
            int owner = KeyHash.rank(hash, mapped.length);
            LocalMemory memory = mapped[owner];
            if (memory == null) {
                continue;
            }
            long first = first(firsts, owner);
            if (first != Block.NONE && Block.isWhole(first)) {
                sum += memory.get(Pieces.offset(null, first, Block.home(first, hash), LongBucket.SIZE));
            }
        }
        Prefetch.keep(sum);
    }

    private long first(long[] firsts, int owner) {
        return firsts[owner] != Block.NONE ? firsts[owner] : askFirst(firsts, owner);
    }

    private long askFirst(long[] firsts, int owner) {
        lost.run(owner, () -> firsts[owner] = reader.blocks.first(owner));
        return firsts[owner];
    }

    private void findMapped(LocalMemory mapped, int owner, long first, long hash, int key) {
        if (lost.has(owner)) {
            return;
        }
        try {
            long word = Block.isWhole(first) ? reader.probe(mapped, first, hash, keys[key]) : LongReader.UNCLEAR;
            words[from + key] = word == LongReader.UNCLEAR ? reader.fetch(mapped, owner, first, hash, keys[key]) : word;
        } catch (RankUnreachableException failure) {
            lost.add(owner, failure);
        }
    }

    private void findUnmapped(int[] numbers, BitSet atOnce) {
        if (numbers.length == 0) {
            return;
        }
        LongBulkSearch search = new LongBulkSearch(reader, keys);
        if (atOnce.isEmpty()) {
            find(search, numbers);
            return;
        }
        find(search, Arrays.stream(numbers).filter(key -> !atOnce.get(search.owner(key))).toArray());
        atOnce.stream()
                .forEach(rank -> find(search,
                        Arrays.stream(numbers).filter(key -> search.owner(key) == rank).toArray()));
    }

    /** Finds keys of one owner, or of owners that are reached through the fabric. */
    private void find(LongBulkSearch search, int[] undecided) {
        if (undecided.length == 0) {
            return;
        }
        int first = search.owner(undecided[0]);
        try (Batch batch = reader.endpoint.executesAtOnce(first)
                ? reader.endpoint.batch(first)
                : reader.endpoint.batch()) {
            new FindRounds(search, reader.blocks, undecided, 0,
                    (key, _, bucket) -> words[from + key] = bucket < 0 ? LongBucket.ABSENT : search.state(key), lost)
                    .run(batch);
        }
    }
}
