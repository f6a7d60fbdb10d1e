package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.codec.WordCodec;
import io.atoll.epoch.Token;
import io.atoll.memory.LocalMemory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds and inserts words at a key's home, where most keys are. Key and value are one word each, and the owner's
 * segment is mapped. It uses no buffer, and as few instructions as can be. So the next find's memory access begins
 * while this one's is under way. A caller that gets no answer here begins anew, in the way that is right everywhere.
 */
record WordFastPath<K, V>(BucketTable table, KeyHash hashing, WordCodec<K> keys, WordCodec<V> values) {

    private static final Bucket WORDS = new Bucket(Long.BYTES, Long.BYTES);

    // Numbers that HotSpot knows.
    private static final long SIZE = WORDS.size;
    private static final long KEY = WORDS.key;
    private static final long EVEN = WORDS.place(0); // where the even one of two places is; the odd one follows it

    /** @param still true if no thread changes an entry meanwhile */
    @Nullable V find(K key, boolean still) {
        Blocks blocks = table.blocks;
        Token token = blocks.begin();
        try {
            long word = keys.toWord(Objects.requireNonNull(key, "key"));
            long hash = hashing.of(word);
            int owner = KeyHash.rank(hash, blocks.ranks());
            long first = blocks.first(owner);
            LocalMemory mapped = table.endpoint.mapped(owner);
            return mapped == null || !Block.isWhole(first)
                    ? null
                    : find(mapped, Block.offset(first) + Block.home(first, hash) * SIZE, word, still);
        } finally {
            blocks.end(token);
        }
    }

    long hashOf(K key) {
        return hashing.of(keys.toWord(Objects.requireNonNull(key, "key")));
    }

    /** Inserts the entry if its home is free, as most are. Else returns false, and nothing was done. */
    boolean insertsAtHome(LocalMemory mapped, K key, V value, int owner, long first, long hash) {
        return table.insertAtHome(mapped, owner, first, hash, keys.toWord(key), values.toWord(value));
    }

    private @Nullable V find(LocalMemory mapped, long bucket, long key, boolean still) {
        // (4) acquire: a reader that sees a state with a key sees the key, and the value that the state names.
        long state = mapped.getAcquire(bucket);
        if (mapped.get(bucket + KEY) != key || !Bucket.isLiving(state)) {
            return null;
        }
        long value = mapped.get(bucket + EVEN + (Bucket.version(state) & 1) * Long.BYTES); // (5)
        if (!still) {
            mapped.acquireFence();
            // (6) behind the value: if the state has not moved, no thread has written to the place that it names.
            if (!table.reader.accepts(state, mapped.get(bucket))) {
                return null;
            }
        }
        return values.fromWord(value);
    }
}
