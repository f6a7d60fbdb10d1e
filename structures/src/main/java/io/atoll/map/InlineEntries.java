package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Outcome;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keys and values of fixed size, in the buckets themselves. */
final class InlineEntries<K, V> implements Entries<K, V> {

    private final BucketTable table;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;

    /** @param hash null if the key's words are hashed */
    InlineEntries(BucketTable table, Codec<K> keys, Codec<V> values, @Nullable ToLongFunction<? super K> hash) {
        this.table = table;
        this.keys = keys;
        this.values = values;
        this.hash = hash;
    }

    @Override
    public BucketTable table() {
        return table;
    }

    @Override
    public @Nullable V find(K key, Promise promise) {
        long hashed = hashOf(key);
        int owner = table.placement().owner(hashed);
        Batch batch = batchWith(key, owner);
        long position = table.find(batch, owner, table.placement().home(hashed), promise);
        return position == BucketTable.NONE ? null : values.decode(batch.buffer(), position);
    }

    @Override
    public boolean contains(K key) {
        long hashed = hashOf(key);
        int owner = table.placement().owner(hashed);
        return table.find(batchWith(key, owner), owner, table.placement().home(hashed),
                Promise.nothing()) != BucketTable.NONE;
    }

    @Override
    public boolean insert(K key, V value, Edit<V> otherwise) {
        long hashed = hashOf(key);
        int owner = table.placement().owner(hashed);
        Batch batch = table.endpoint.batch(owner);
        place(key, value, batch);
        return table.insert(batch, owner, table.placement().home(hashed), new Change(key, otherwise, owner));
    }

    @Override
    public boolean change(K key, Edit<V> edit) {
        long hashed = hashOf(key);
        int owner = table.placement().owner(hashed);
        return table.change(batchWith(key, owner), owner, table.placement().home(hashed),
                new Change(key, edit, owner));
    }

    private long hashOf(K key) {
        Objects.requireNonNull(key, "key");
        if (hash != null) {
            return KeyHash.of(hash.applyAsLong(key));
        }
        // Any batch will do: the words of a key are the same in all of them.
        Batch batch = batchWith(key, table.endpoint.rank());
        return KeyHash.of(batch.buffer(), BucketTable.KEY, keys.bytes());
    }

    private Batch batchWith(K key, int owner) {
        Batch batch = table.endpoint.batch(owner);
        keys.encode(key, batch.buffer(), BucketTable.KEY);
        return batch;
    }

    private void place(K key, V value, Batch batch) {
        keys.encode(key, batch.buffer(), BucketTable.KEY);
        values.encode(value, batch.buffer(), table.value());
    }

    /** An edit of one key's entry. */
    private final class Change implements BucketTable.Change {

        private final K key;
        private final Edit<V> edit;
        private final int owner;

        private Change(K key, Edit<V> edit, int owner) {
            this.key = key;
            this.edit = edit;
            this.owner = owner;
        }

        @Override
        public Outcome decide(Batch batch, long living) {
            Outcome outcome = edit.decide(present(batch, living));
            if (outcome == Outcome.STORE) {
                values.encode(Objects.requireNonNull(edit.value), batch.buffer(), table.value());
            }
            return outcome;
        }

        @Override
        public Outcome compute(Batch batch, long living) {
            Outcome outcome = edit.compute(present(batch, living));
            if (outcome == Outcome.STORE) {
                // The key as well: the function may have used this map, and with it this thread's batch.
                place(key, Objects.requireNonNull(edit.value), table.endpoint.batch(owner));
            }
            return outcome;
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
            return values.decode(batch.buffer(), position);
        }

        @Override
        public boolean is(V other) {
            MemorySegment words = MemorySegment.ofArray(new long[values.bytes() / Long.BYTES]);
            values.encode(other, words, 0);
            return batch.buffer().asSlice(position, values.bytes()).mismatch(words) < 0;
        }
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator(int owner) {
        return new BucketIterator<>(table, owner, (batch, key, value) -> Map
                .entry(keys.decode(batch.buffer(), key), values.decode(batch.buffer(), value)));
    }

    @Override
    public long count(int owner) {
        long[] count = new long[1];
        for (long index = 0; index < table.placement().buckets();) {
            index = table.readEntries(owner, index, (batch, key, value) -> count[0]++);
        }
        return count[0];
    }

    @Override
    public boolean isEmpty(int owner) {
        boolean[] empty = {true};
        for (long index = 0; empty[0] && index < table.placement().buckets();) {
            index = table.readEntries(owner, index, (batch, key, value) -> empty[0] = false);
        }
        return empty[0];
    }
}
