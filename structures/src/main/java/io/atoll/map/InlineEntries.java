package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.KeyHash;
import io.atoll.codec.WordCodec;
import io.atoll.completion.Completions;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keys and values of fixed size, in the buckets themselves. */
class InlineEntries<K, V> extends Entries<K, V> {

    private static final long HASH = 0; // position in the memory of an encoded key

    private final Codec<K> keys;
    private final Codec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;
    private final KeyHash hashing;
    // null if keys or values are no words, or if a function of the user's hashes the keys
    private final @Nullable WordFastPath<K, V> words;
    private final InlineEntries<K, V> alone;

    /** @param hash null if the key's words are hashed */
    public InlineEntries(BucketTable table, Codec<K> keys, Codec<V> values, @Nullable ToLongFunction<? super K> hash) {
        super(table);
        this.keys = keys;
        this.values = values;
        this.hash = hash;
        this.hashing = new KeyHash(table.participant().seed());
        this.words = hash == null && keys instanceof WordCodec<K> key && values instanceof WordCodec<V> value
                ? new WordFastPath<>(table, hashing, key, value)
                : null;
        this.alone = table.alone() == table ? this : new InlineEntries<>(table.alone(), keys, values, hash);
    }

    @Override
    InlineEntries<K, V> alone() {
        return alone;
    }

    // --- one key ---

    /**
     * Encodes the key, once for an operation, into memory of this thread that no verb and no batch uses. Its hash,
     * which {@link #hashOf(MemorySegment)} returns, stands in front. The application's function may use other maps,
     * which encode their keys into the same memory. So it runs before the key is encoded.
     */
    private MemorySegment encode(K key) {
        long own = ownHash(key);
        MemorySegment encoded = table.endpoint.scratch(table.reader.read);
        keys.encode(Objects.requireNonNull(key, "key"), encoded, BucketReader.KEY);
        encoded.set(ValueLayout.JAVA_LONG, HASH,
                hash == null ? table.reader.hashing.hashOf(encoded, BucketReader.KEY) : own);
        return encoded;
    }

    private static long hashOf(MemorySegment encoded) {
        return encoded.get(ValueLayout.JAVA_LONG, HASH);
    }

    /** Returns the hash by the application's function, or 0 without one. */
    private long ownHash(K key) {
        return hash == null ? 0 : hashing.of(hash.applyAsLong(Objects.requireNonNull(key, "key")));
    }

    private void copyKey(MemorySegment encoded, Batch batch) {
        MemorySegment.copy(encoded, BucketReader.KEY, batch.buffer(table.reader.span), BucketReader.KEY, keys.bytes());
    }

    private Batch batchWith(MemorySegment encoded, int owner) {
        Batch batch = table.endpoint.batch(owner);
        copyKey(encoded, batch);
        return batch;
    }

    private long hashOf(K key) {
        if (hash != null) {
            return ownHash(key);
        }
        return words == null ? hashOf(encode(key)) : words.hashOf(key);
    }

    @Override
    int owner(K key) {
        return table.owner(hashOf(key));
    }

    @Override
    @Nullable V findHere(K key, Promise.Reading promise) {
        if (words == null) {
            return findByVerbs(encode(key), promise);
        }
        long word = words.wordOf(key);
        V seen = words.findAtHome(word, promise == Promise.onlyReads());
        return seen != null ? seen : words.find(word, promise, this);
    }

    /** As {@link #findHere}, for a key of one word and a segment that is mapped or not. */
    @Nullable V findByVerbs(long word, long hashed, Promise.Reading promise) {
        MemorySegment encoded = table.endpoint.scratch(table.reader.read);
        encoded.set(ValueLayout.JAVA_LONG, BucketReader.KEY, word);
        encoded.set(ValueLayout.JAVA_LONG, HASH, hashed);
        return findByVerbs(encoded, promise);
    }

    private @Nullable V findByVerbs(MemorySegment encoded, Promise.Reading promise) {
        MemorySegment buffer = encoded;
        long hashed = hashOf(buffer);
        int owner = table.owner(hashed);
        Token token = table.begin();
        try {
            long position = table.findMapped(buffer, owner, hashed, promise);
            if (position == BucketReader.BEHIND) {
                Batch batch = batchWith(buffer, owner);
                position = table.find(batch, owner, hashed, promise);
                buffer = batch.buffer(table.reader.span);
            }
            return position == BucketReader.NONE ? null : values.decode(buffer, position);
        } finally {
            table.end(token);
        }
    }

    @Override
    boolean contains(K key) {
        MemorySegment buffer = encode(key);
        long hashed = hashOf(buffer);
        int owner = table.owner(hashed);
        Token token = table.begin();
        try {
            long position = table.findMapped(buffer, owner, hashed, Promise.nothing());
            if (position == BucketReader.BEHIND) {
                position = table.find(batchWith(buffer, owner), owner, hashed, Promise.nothing());
            }
            return position != BucketReader.NONE;
        } finally {
            table.end(token);
        }
    }

    @Override
    boolean insert(K key, V value) {
        return insertOr(key, value, null);
    }

    @Override
    @Nullable V putIfAbsent(K key, V value) {
        Edit.GetAndPut<V> put = Edit.putIfAbsent(value);
        return insertOr(key, value, put) ? null : put.former;
    }

    /** @param edit what is done if the key's home is not free; if null, it is made only then */
    private boolean insertOr(K key, V value, @Nullable Edit<V> edit) {
        Objects.requireNonNull(value, "value");
        MemorySegment encoded = words == null ? encode(key) : null; // words may need no buffer
        long hashed = words == null ? hashOf(encoded) : words.hashOf(key);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            long first = table.firstToChange(owner, token);
            LocalMemory mapped = words == null ? null : table.mappedToInsert(owner);
            if (mapped != null) {
                WordFastPath.Insertion insertion = words.insert(mapped, key, value, owner, first, hashed);
                if (insertion == WordFastPath.Insertion.DONE) {
                    return true;
                }
                if (insertion == WordFastPath.Insertion.REFUSED && edit == null) {
                    return false;
                }
            }
            encoded = encoded != null ? encoded : encode(key);
            if (mapped == null && !table.searches(owner) && insertsAtHome(encoded, value, owner, first, hashed)) {
                return true;
            }
            Edit<V> made = edit != null ? edit : Edit.insert(value);
            return table.change(new InlineChange(encoded, made, owner, first, hashed));
        } finally {
            table.end(token);
        }
    }

    private boolean insertsAtHome(MemorySegment encoded, V value, int owner, long first, long hashed) {
        Batch batch = batchWith(encoded, owner);
        values.encode(value, batch.buffer(table.reader.span), table.reader.value());
        return table.insertAtHome(batch, owner, first, hashed);
    }

    @Override
    boolean change(K key, Edit<V> edit) {
        MemorySegment encoded = encode(key);
        long hashed = hashOf(encoded);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            return table.change(new InlineChange(encoded, edit, owner, table.firstToChange(owner, token), hashed));
        } finally {
            table.end(token);
        }
    }

    @Override
    <R> CompletionStage<R> submitFar(Completions completions, K key, Edit<V> edit, Function<Boolean, R> result,
            Supplier<R> whole) {
        return completions
                .submit(new EntryOperation<>(this, severalKeys(List.of(key), one -> one), edit, result, whole));
    }

    /** Returns memory of its own with the encoded key. */
    final MemorySegment encodedKey(K key) {
        MemorySegment encoded = MemorySegment.ofArray(new long[keys.bytes() / Long.BYTES]);
        keys.encode(key, encoded, 0);
        return encoded;
    }

    /** Puts an entry into the buffer as it stands in a bucket. */
    final void encode(K key, V value, Batch batch, long position) {
        keys.encode(key, batch.buffer(), position + table.reader.bucket.key);
        encodeValue(value, batch, position + table.reader.bucket.value);
    }

    final void encodeValue(V value, Batch batch, long position) {
        values.encode(value, batch.buffer(), position);
    }

    /** Returns the value at a position of the buffer, or null if the key has none. */
    final Edit.@Nullable Present<V> present(Batch batch, long living) {
        return living == BucketReader.NONE ? null : new InBuffer(batch, living);
    }

    // --- several keys of one rank ---

    @Override
    void findTogether(List<K> several, BiConsumer<? super K, ? super V> found, LostOwners lost) {
        SeveralKeys<K> sought = severalKeys(several, key -> key);
        Token token = table.begin();
        try {
            new BulkFind(table.reader, sought, (key, batch, bucket) -> {
                long living = table.reader.living(batch, bucket);
                if (living != BucketReader.NONE) {
                    found.accept(several.get(key), values.decode(batch.buffer(), living));
                }
            }, lost).run();
        } finally {
            table.end(token);
        }
    }

    private <T> SeveralKeys<T> severalKeys(List<T> several, Function<? super T, K> keyOf) {
        long[] hashes = new long[several.size()];
        int[] owners = new int[hashes.length];
        for (int key = 0; key < hashes.length; key++) {
            hashes[key] = hashOf(keyOf.apply(several.get(key)));
            owners[key] = table.owner(hashes[key]);
        }
        return new SeveralKeys<>(several, hashes, owners, (each, batch) -> placeKey(keyOf.apply(each), batch));
    }

    @Override
    List<Map.Entry<K, V>> putTogether(List<Map.Entry<K, V>> several, LostOwners lost) {
        return bulkPut(severalKeys(several, Map.Entry::getKey), this::encode, lost).put();
    }

    /** Returns what stores the entries of other ranks. */
    BulkPut<Map.Entry<K, V>> bulkPut(SeveralKeys<Map.Entry<K, V>> entries,
            BulkPut.Encoder<Map.Entry<K, V>> encoder, LostOwners lost) {
        return new BulkPut<>(table, entries, encoder, false, lost);
    }

    private void encode(Map.Entry<K, V> entry, Batch batch, long position) {
        encode(entry.getKey(), entry.getValue(), batch, position);
    }

    private void placeKey(K key, Batch batch) {
        keys.encode(key, batch.buffer(table.reader.span), BucketReader.KEY);
    }

    // --- in messages ---

    @Override
    long bytesInMessage() {
        return keys.bytes() + values.bytes();
    }

    @Override
    boolean append(K key, V value, Message message) {
        long position = message.add(bytesInMessage());
        if (position == Message.NO_ROOM) {
            return false;
        }
        keys.encode(key, message.words(), position);
        values.encode(value, message.words(), position + keys.bytes());
        return true;
    }

    @Override
    long insert(MemorySegment message, long position) {
        long hashed = table.reader.hashing.hashOf(message, position);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            long first = table.firstToChange(owner, token);
            var change = new EncodedInsertion(message, position, keys.bytes(), bytesInMessage(), owner, first, hashed);
            Batch batch = change.batchWithKey(table.endpoint);
            change.placeValue(batch);
            if (!table.insertAtHome(batch, owner, first, hashed)) {
                table.change(change);
            }
        } finally {
            table.end(token);
        }
        return position + bytesInMessage();
    }

    @Override
    long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor) {
        visitor.accept(keys.decode(message, position), values.decode(message, position + keys.bytes()));
        return position + bytesInMessage();
    }

    /** Returns the hashing that the table uses. */
    public static <K> Hashing hashing(Participant self, Codec<K> keys, @Nullable ToLongFunction<? super K> hash) {
        var hashing = new KeyHash(self.seed());
        return hash == null
                ? (buffer, position) -> hashing.of(buffer, position, keys.bytes())
                : (buffer, position) -> hashing.of(hash.applyAsLong(keys.decode(buffer, position)));
    }

    /** An edit of one key's entry. */
    private final class InlineChange extends Change {

        private final MemorySegment encoded; // the key
        private final Edit<V> edit;

        private InlineChange(MemorySegment encoded, Edit<V> edit, int owner, long first, long hash) {
            super(owner, first, hash);
            this.encoded = encoded;
            this.edit = edit;
        }

        @Override
        void placeKey(Batch batch) {
            copyKey(encoded, batch);
        }

        @Override
        Outcome decide(Batch batch, long living) {
            return edit.decide(present(batch, living));
        }

        @Override
        @Nullable Outcome unseen(boolean isPresent) {
            return edit.unseen(isPresent);
        }

        @Override
        boolean wantsValue() {
            return edit.wantsValue();
        }

        @Override
        Outcome compute(Batch batch, long living) {
            return edit.compute(present(batch, living));
        }

        @Override
        void placeValue(Batch batch) {
            values.encode(Objects.requireNonNull(edit.value), batch.buffer(table.reader.span), table.reader.value());
        }

    }

    private final class InBuffer implements Edit.Present<V> {

        private final Batch batch;
        private final long position;

        private InBuffer(Batch batch, long position) {
            this.batch = batch;
            this.position = position;
        }

        @Override
        public V value() {
            return values.decode(batch.buffer(table.reader.span), position);
        }

        @Override
        public boolean is(V other) {
            MemorySegment words = MemorySegment.ofArray(new long[values.bytes() / Long.BYTES]);
            values.encode(other, words, 0);
            return batch.buffer(table.reader.span).asSlice(position, values.bytes()).mismatch(words) < 0;
        }
    }

    // --- all of a rank ---

    @Override
    BucketIterator<Map.Entry<K, V>> iterator(int owner) {
        return new BucketIterator<>(table.reader, owner, (batch, key, value, read) -> read
                .add(Map.entry(keys.decode(batch.buffer(), key), values.decode(batch.buffer(), value))));
    }

    @Override
    Iterator<K> keys(int owner) {
        return new BucketIterator<>(table.reader, owner,
                (batch, key, value, read) -> read.add(keys.decode(batch.buffer(), key)));
    }

    @Override
    long count(int owner) {
        return table.count(owner, (batch, value) -> 1);
    }
}
