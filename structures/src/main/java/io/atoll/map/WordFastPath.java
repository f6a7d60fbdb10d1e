package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.codec.WordCodec;
import io.atoll.epoch.Token;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds and inserts entries of which key and value are one word each, where the owner's segment is mapped. It uses no
 * buffer and few instructions: it looks first at the key's home, where most keys are. So a processor begins the memory
 * access of the next find while that of this one is under way. If the fast path gets no answer, the operation begins
 * anew on the general path.
 */
record WordFastPath<K, V>(BucketTable table, KeyHash hashing, WordCodec<K> keys, WordCodec<V> values) {

    /** How an insertion has ended. */
    enum Insertion {
        DONE,
        /** The key has a value. */
        REFUSED,
        /** Nothing was done, and the caller begins anew on the general path. */
        UNCLEAR
    }

    private static final Bucket WORDS = new Bucket(Long.BYTES, Long.BYTES);

    // Constants, so that HotSpot compiles them into the code.
    private static final long SIZE = WORDS.size;
    private static final long KEY = WORDS.key;
    private static final int GROUP = BucketReader.group(SIZE);
    private static final long EVEN = WORDS.place(0); // where the even one of two places is; the odd one follows it

    /**
     * Returns the key's word. A find hands only this word on. HotSpot boxes a key that may be handed to a method that
     * it has not inlined, even though most finds never call that method.
     */
    long wordOf(K key) {
        return keys.toWord(Objects.requireNonNull(key, "key"));
    }

    /**
     * Looks at the key's home. Returns null if the value is not there.
     *
     * @param word the {@linkplain #wordOf word} of the key
     * @param still true if no thread changes an entry meanwhile
     */
    @Nullable V findAtHome(long word, boolean still) {
        Blocks blocks = table.blocks;
        Token token = blocks.begin();
        try {
            long hash = hashing.of(word);
            int owner = KeyHash.rank(hash, blocks.ranks());
            long first = blocks.first(owner);
            LocalMemory mapped = table.endpoint.mappedUniformly(owner);
            return mapped == null || !Block.isWhole(first)
                    ? null
                    : find(mapped, Block.offset(first) + Block.home(first, hash) * SIZE, word, still);
        } finally {
            blocks.end(token);
        }
    }

    long hashOf(K key) {
        return hashing.of(wordOf(key));
    }

    /** As {@link #findAtHome}, on all of the key's path. Asks the entries if they must wait, or look elsewhere. */
    @Nullable V find(long word, Promise.Reading promise, InlineEntries<K, V> entries) {
        Blocks blocks = table.blocks;
        Token token = blocks.begin();
        try {
            long hash = hashing.of(word);
            int owner = KeyHash.rank(hash, blocks.ranks());
            long first = blocks.first(owner);
            LocalMemory mapped = table.endpoint.mappedUniformly(owner);
            long found = mapped == null ? BucketReader.BEHIND : locate(mapped, first, hash, word);
            if (found < 0 && found != BucketReader.BEHIND) {
                return null;
            }
            V seen = found < 0 ? null : find(mapped, found, word, promise == Promise.onlyReads());
            return seen != null ? seen : entries.findByVerbs(word, hash, promise);
        } finally {
            blocks.end(token);
        }
    }

    /**
     * Returns the offset of the key's bucket. If the search for it ends at a free bucket, returns the complement of the
     * offset of that one. Returns {@link BucketReader#BEHIND} if the search ends elsewhere.
     */
    private long locate(LocalMemory mapped, long block, long hash, long key) {
        if (!Block.isWhole(block)) {
            return BucketReader.BEHIND;
        }
        long home = Block.home(block, hash);
        for (long steps = 0; steps < Block.buckets(block); steps++) {
            long bucket = Block.offset(block) + Block.bucket(block, home, steps, GROUP) * SIZE;
            long state = mapped.getAcquire(bucket); // (4)
            if (state == Bucket.FREE) {
                return ~bucket;
            }
            if (!Bucket.hasKey(state)) {
                return BucketReader.BEHIND;
            }
            if (mapped.get(bucket + KEY) == key) {
                return bucket;
            }
        }
        return BucketReader.BEHIND;
    }

    /**
     * Inserts the entry, without a look first: most homes are free. Returns how that has ended. If it is unclear,
     * nothing was done.
     */
    Insertion insert(LocalMemory mapped, K key, V value, int owner, long first, long hash) {
        long word = keys.toWord(key);
        long found = ~table.blocks.offset(owner, first, Block.home(first, hash), SIZE);
        while (found < 0 && found != BucketReader.BEHIND) {
            if (table.insertAt(mapped, owner, first, hash, ~found, word, values.toWord(value))) {
                return Insertion.DONE;
            }
            found = locate(mapped, first, hash, word);
        }
        return found >= 0 && Bucket.isLiving(mapped.getAcquire(found)) ? Insertion.REFUSED : Insertion.UNCLEAR;
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
