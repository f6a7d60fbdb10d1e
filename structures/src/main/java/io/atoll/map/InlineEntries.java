package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.KeyHash;
import io.atoll.codec.WordCodec;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keys and values of fixed size, in the buckets themselves. */
final class InlineEntries<K, V> extends TableEntries<K, V> {

    private final Codec<K> keys;
    private final Codec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;
    private final KeyHash hashing;
    // null if keys or values are no words, or if a function of the user's hashes the keys
    private final @Nullable WordsAtHome<K, V> words;
    private final InlineEntries<K, V> alone;

    /** @param hash null if the key's words are hashed */
    public InlineEntries(BucketTable table, Codec<K> keys, Codec<V> values, @Nullable ToLongFunction<? super K> hash) {
        super(table);
        this.keys = keys;
        this.values = values;
        this.hash = hash;
        this.hashing = new KeyHash(table.participant().seed());
        this.words = hash == null && keys instanceof WordCodec<K> key && values instanceof WordCodec<V> value
                ? new WordsAtHome<>(table, hashing, key, value)
                : null;
        this.alone = table.alone() == table ? this : new InlineEntries<>(table.alone(), keys, values, hash);
    }

    @Override
    public InlineEntries<K, V> alone() {
        return alone;
    }

    @Override
    protected @Nullable V found(K key, Promise.Finding promise) {
        V seen = words == null ? null : words.find(key, promise == Promise.onlyFinds());
        return seen != null ? seen : sought(key, promise);
    }

    private @Nullable V sought(K key, Promise.Finding promise) {
        MemorySegment buffer = table.endpoint.scratch(table.span);
        long hashed = hashOf(key, buffer);
        int owner = table.owner(hashed);
        Token token = table.begin();
        try {
            long position = findMapped(key, buffer, owner, hashed, promise);
            if (position == BucketTable.BEHIND) {
                Batch batch = batchWith(key, owner);
                position = table.find(batch, owner, hashed, promise);
                buffer = batch.buffer(table.span);
            }
            return position == BucketTable.NONE ? null : values.decode(buffer, position);
        } finally {
            table.end(token);
        }
    }

    @Override
    public boolean contains(K key) {
        MemorySegment buffer = table.endpoint.scratch(table.span);
        long hashed = hashOf(key, buffer);
        int owner = table.owner(hashed);
        Token token = table.begin();
        try {
            long position = findMapped(key, buffer, owner, hashed, Promise.nothing());
            if (position == BucketTable.BEHIND) {
                position = table.find(batchWith(key, owner), owner, hashed, Promise.nothing());
            }
            return position != BucketTable.NONE;
        } finally {
            table.end(token);
        }
    }

    /**
     * As {@link BucketTable#findMapped}. It encodes the key anew into the operation's own memory, which earlier calls
     * may have used.
     */
    private long findMapped(K key, MemorySegment buffer, int owner, long hashed, Promise.Finding promise) {
        long first = table.blocks.first(owner);
        keys.encode(key, buffer, BucketTable.KEY);
        return table.findMapped(buffer, owner, first, hashed, promise);
    }

    @Override
    public void find(int owner, List<K> several, BiConsumer<? super K, ? super V> found) {
        long[] hashes = several.stream().mapToLong(this::hashOf).toArray();
        Token token = table.begin();
        try {
            new BulkFind(table, owner, new SeveralKeys<>(several, hashes, this::placeKey), (key, batch, bucket) -> {
                long living = table.living(batch, bucket);
                if (living != BucketTable.NONE) {
                    found.accept(several.get(key), values.decode(batch.buffer(), living));
                }
            }).run();
        } finally {
            table.end(token);
        }
    }

    @Override
    public void put(int owner, List<? extends Map.Entry<K, V>> several) {
        long[] hashes = several.stream().mapToLong(entry -> hashOf(entry.getKey())).toArray();
        var entries = new SeveralKeys<Map.Entry<K, V>>(List.copyOf(several), hashes,
                (entry, batch) -> placeKey(entry.getKey(), batch));
        Token token = table.beginToChange();
        List<Map.Entry<K, V>> left;
        try {
            left = new BulkPut<>(table, owner, entries, this::encode).run(token);
        } finally {
            table.end(token);
        }
        left.forEach(this::put);
    }

    private void encode(Map.Entry<K, V> entry, Batch batch, long position) {
        keys.encode(entry.getKey(), batch.buffer(), position + table.bucket.key);
        values.encode(entry.getValue(), batch.buffer(), position + table.bucket.value);
    }

    private void placeKey(K key, Batch batch) {
        keys.encode(key, batch.buffer(table.span), BucketTable.KEY);
    }

    @Override
    protected boolean insert(K key, V value) {
        return insert(key, value, (Edit.Put<V>) null);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        Edit.Put<V> otherwise = Edit.Put.ifAbsent(value, true);
        return insert(key, value, otherwise) ? null : otherwise.former;
    }

    /** @param otherwise what is done if the key's home is not free; if null, it is made only then */
    private boolean insert(K key, V value, Edit.@Nullable Put<V> otherwise) {
        Objects.requireNonNull(value, "value");
        long hashed = words == null ? hashOf(key) : words.hashOf(key);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            long first = table.firstToChange(owner, token);
            LocalMemory mapped = words == null ? null : table.mappedToInsert(owner);
            if (mapped == null
                    ? insertsAtHome(key, value, owner, first, hashed)
                    : words.insertsAtHome(mapped, key, value, owner, first, hashed)) {
                return true;
            }
            Edit<V> edit = otherwise != null ? otherwise : Edit.Put.ifAbsent(value, false);
            return table.change(batchWith(key, owner), new InlineChange(key, edit, owner, first, hashed));
        } finally {
            table.end(token);
        }
    }

    private boolean insertsAtHome(K key, V value, int owner, long first, long hashed) {
        Batch batch = batchWith(key, owner);
        values.encode(value, batch.buffer(table.span), table.value());
        return table.insertAtHome(batch, owner, first, hashed);
    }

    @Override
    public boolean change(K key, Edit<V> edit) {
        long hashed = hashOf(key);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            long first = table.firstToChange(owner, token);
            return table.change(batchWith(key, owner), new InlineChange(key, edit, owner, first, hashed));
        } finally {
            table.end(token);
        }
    }

    @Override
    public long bytesInMessage() {
        return keys.bytes() + values.bytes();
    }

    @Override
    public boolean append(K key, V value, Message message) {
        long position = message.add(bytesInMessage());
        if (position == Message.NO_ROOM) {
            return false;
        }
        keys.encode(key, message.words(), position);
        values.encode(value, message.words(), position + keys.bytes());
        return true;
    }

    @Override
    public long insert(MemorySegment message, long position) {
        long hashed = table.hashing.hashOf(message, position);
        int owner = table.owner(hashed);
        Token token = table.beginToChange();
        try {
            long first = table.firstToChange(owner, token);
            var change = new EncodedInsertion(message, position, keys.bytes(), bytesInMessage(), owner, first, hashed);
            Batch batch = table.endpoint.batch(owner);
            change.place(batch);
            if (!table.insertAtHome(batch, owner, first, hashed)) {
                table.change(batch, change);
            }
        } finally {
            table.end(token);
        }
        return position + bytesInMessage();
    }

    @Override
    public long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor) {
        visitor.accept(keys.decode(message, position), values.decode(message, position + keys.bytes()));
        return position + bytesInMessage();
    }

    @Override
    public int owner(K key) {
        return table.owner(hashOf(key));
    }

    private long hashOf(K key) {
        return hashOf(key, table.endpoint.scratch(table.span));
    }

    private long hashOf(K key, MemorySegment scratch) {
        Objects.requireNonNull(key, "key");
        if (hash != null) {
            return hashing.of(hash.applyAsLong(key));
        }
        keys.encode(key, scratch, 0);
        return table.hashing.hashOf(scratch, 0);
    }

    /** Returns the hashing that the table uses. */
    public static <K> Hashing hashing(Participant self, Codec<K> keys, @Nullable ToLongFunction<? super K> hash) {
        var hashing = new KeyHash(self.seed());
        return hash == null
                ? (buffer, position) -> hashing.of(buffer, position, keys.bytes())
                : (buffer, position) -> hashing.of(hash.applyAsLong(keys.decode(buffer, position)));
    }

    private Batch batchWith(K key, int owner) {
        Batch batch = table.endpoint.batch(owner);
        placeKey(key, batch);
        return batch;
    }

    /** An edit of one key's entry. */
    private final class InlineChange extends Change {

        private final K key;
        private final Edit<V> edit;

        private InlineChange(K key, Edit<V> edit, int owner, long first, long hash) {
            super(owner, first, hash);
            this.key = key;
            this.edit = edit;
        }

        @Override
        protected Outcome decide(Batch batch, long living) {
            return edit.decide(present(batch, living));
        }

        @Override
        protected Outcome compute(Batch batch, long living) {
            return edit.compute(present(batch, living));
        }

        @Override
        protected void placeKey(Batch batch) {
            InlineEntries.this.placeKey(key, batch);
        }

        @Override
        protected void place(Batch batch) {
            placeKey(batch);
            values.encode(Objects.requireNonNull(edit.value), batch.buffer(table.span), table.value());
        }

        private Edit.@Nullable Present<V> present(Batch batch, long living) {
            return living == BucketTable.NONE ? null : new InBuffer(batch, living);
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
            return values.decode(batch.buffer(table.span), position);
        }

        @Override
        public boolean is(V other) {
            MemorySegment words = MemorySegment.ofArray(new long[values.bytes() / Long.BYTES]);
            values.encode(other, words, 0);
            return batch.buffer(table.span).asSlice(position, values.bytes()).mismatch(words) < 0;
        }
    }

    @Override
    public BucketIterator<Map.Entry<K, V>> iterator(int owner) {
        return new BucketIterator<>(table, owner, (batch, key, value, read) -> read
                .add(Map.entry(keys.decode(batch.buffer(), key), values.decode(batch.buffer(), value))));
    }

    @Override
    public Iterator<K> keys(int owner) {
        return new BucketIterator<>(table, owner,
                (batch, key, value, read) -> read.add(keys.decode(batch.buffer(), key)));
    }

    @Override
    public long count(int owner) {
        return table.count(owner, (batch, value) -> 1);
    }
}
