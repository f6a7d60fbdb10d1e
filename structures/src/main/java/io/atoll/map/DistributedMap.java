package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A hash map over all ranks, of keys and values of fixed size (BCL, section 5.1). Null is neither a key nor a value.
 *
 * <p>All operations are atomic with each other (linearizable). {@link #find} is lock-free and never waits. Operations that change an entry wait
 * while another changes the same one; who inserts a key that was never in the map, for another who has begun to do so in the same bucket. If
 * that rank dies, what it has begun is undone; if it lives and does not go on, the wait ends with a
 * {@link io.atoll.failure.FabricTimeoutException} that names it. What an operation that has returned has stored is never destroyed by
 * the death of another.
 *
 * <p>While the rank that owns the key is not there, operations fail with a {@link io.atoll.failure.RankUnreachableException}. One that fails so may have
 * taken effect or not: whoever repeats a {@link #merge} may have counted twice.
 *
 * <p>Costs are those of a key that lies where it is first looked for; R, W and A are a remote read, write and atomic. On a key that this
 * rank owns, no verb where the fabric's atomics are the CPU's. Where a bucket does not arrive whole, R is three reads, of state, bucket and
 * state, in one round trip if the fabric keeps reads in order; and W is two writes in one round trip. So it always is where a value is replaced.
 */
public final class DistributedMap<K, V> {

    private final String name;
    private final Handle<BucketTable> handle;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;

    DistributedMap(Builder<K, V> builder, Handle<BucketTable> handle) {
        this.name = builder.name;
        this.keys = builder.keys;
        this.values = builder.values;
        this.hash = builder.hash;
        this.handle = handle;
    }

    /** Begins to open the map of this name. */
    public static <K, V> Builder<K, V> builder(String name, Class<K> keys, Class<V> values,
            Supplier<Participant> participant) {
        return new Builder<>(name, Codecs.forType(keys), Codecs.forType(values), participant);
    }

    /** Begins to open the map of this name, for types with codecs of one's own. */
    public static <K, V> Builder<K, V> builder(String name, Codec<K> keys, Codec<V> values,
            Supplier<Participant> participant) {
        return new Builder<>(name, keys, values, participant);
    }

    public String name() {
        return name;
    }

    private BucketTable table() {
        return handle.opened();
    }

    /** Buckets over all ranks: the capacity asked for, plus what keeps probing short. */
    public long buckets() {
        return table().placement().buckets() * table().placement().ranks();
    }

    /** The key's value, or null. Cost: R. */
    public @Nullable V find(K key) {
        return find(key, Promise.nothing());
    }

    /** As {@link #find(Object)}, for callers who promise that nobody changes the map meanwhile. Cost: R, one read on every fabric. */
    public @Nullable V find(K key, Promise promise) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        Batch batch = batchWith(key, owner);
        long position = table().find(batch, owner, table().placement().home(hash), promise);
        return position < 0 ? null : values.decode(batch.buffer(), position);
    }

    /** Whether the key has a value. Cost: R. */
    public boolean contains(K key) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        return table().find(batchWith(key, owner), owner, table().placement().home(hash), Promise.nothing()) >= 0;
    }

    /**
     * Gives the key a value if it has none; true if it had none. Cost: A + W for a key that was never in the map, A + R for one that has a value.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean insert(K key, V value) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        return table().insert(batchWith(key, value, owner), owner, table().placement().home(hash));
    }

    /**
     * Gives the key this value; true if it had none. Cost: R + A + W.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean put(K key, V value) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        return table().put(batchWith(key, value, owner), owner, table().placement().home(hash));
    }

    /**
     * Gives the key this value if it has none, else what {@code combine} makes of the one it has and this; returns what it has then. All of that
     * at once: {@code merge(word, 1L, Long::sum)} counts exactly, whoever else counts. Cost: R + A + W.
     *
     * @param combine called with the present value and {@code value}, before anything is reserved; once more whenever another has changed the entry
     * meanwhile. Must not return null
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public V merge(K key, V value, BinaryOperator<V> combine) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        var merge = new Merge(key, value, combine);
        table().change(batchWith(key, value, owner), owner, table().placement().home(hash), merge);
        return merge.merged;
    }

    /** A {@link #merge} under way. */
    private final class Merge implements BucketTable.Change {

        private final K key;
        private final V value;
        private final BinaryOperator<V> combine;
        private V merged;

        private Merge(K key, V value, BinaryOperator<V> combine) {
            this.key = key;
            this.value = value;
            this.combine = combine;
            this.merged = value;
        }

        @Override
        public boolean prepare(Batch batch, long living) {
            merged = living == BucketTable.NONE ? value : combine.apply(values.decode(batch.buffer(), living), value);
            // The key as well: the function may have used this map, and with it this thread's batch.
            place(key, merged, batch);
            return true;
        }
    }

    /** Removes the key and returns the value it had, or null. Its bucket remains the key's. Cost: R + A; R if it had none. */
    public @Nullable V remove(K key) {
        long hash = hashOf(key);
        int owner = table().placement().owner(hash);
        Batch batch = batchWith(key, owner);
        long position = table().remove(batch, owner, table().placement().home(hash));
        return position < 0 ? null : values.decode(batch.buffer(), position);
    }

    private long hashOf(K key) {
        Objects.requireNonNull(key, "key");
        if (hash != null) {
            return KeyHash.of(hash.applyAsLong(key));
        }
        // Any batch will do: the words of a key are the same in all of them.
        Batch batch = batchWith(key, table().endpoint.rank());
        return KeyHash.of(batch.buffer(), BucketTable.KEY, keys.bytes());
    }

    private Batch batchWith(K key, int owner) {
        Batch batch = table().endpoint.batch(owner);
        keys.encode(key, batch.buffer(), BucketTable.KEY);
        return batch;
    }

    private Batch batchWith(K key, V value, int owner) {
        Batch batch = table().endpoint.batch(owner);
        place(key, value, batch);
        return batch;
    }

    private void place(K key, V value, Batch batch) {
        Objects.requireNonNull(value, "value");
        keys.encode(key, batch.buffer(), BucketTable.KEY);
        values.encode(value, batch.buffer(), table().value());
    }

    /**
     * Visits the entries that lie in this rank's segment, each key once at most; what changes meanwhile may or may not be seen. Cost: no verb where the
     * own memory may be read directly.
     */
    public void forEachLocal(BiConsumer<? super K, ? super V> visitor) {
        forEach(table().endpoint.rank(), visitor);
    }

    /** As {@link #forEachLocal}, of all ranks, one after the other. Cost: R for each 32 KiB of buckets, or for each bucket where they do not arrive whole. */
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        for (int rank = 0; rank < table().placement().ranks(); rank++) {
            forEach(rank, visitor);
        }
    }

    private void forEach(int owner, BiConsumer<? super K, ? super V> visitor) {
        // Decoded before anyone is called: a visitor may use this map, and with it this thread's batch.
        List<Map.Entry<K, V>> entries = new ArrayList<>();
        for (long index = 0; index < table().placement().buckets();) {
            index = table().readEntries(owner, index, (batch, key, value) -> entries
                    .add(Map.entry(keys.decode(batch.buffer(), key), values.decode(batch.buffer(), value))));
            entries.forEach(entry -> visitor.accept(entry.getKey(), entry.getValue()));
            entries.clear();
        }
    }

    /** How many keys have a value; exact while nobody changes the map. Cost: that of {@link #forEach}. */
    public long size() {
        long[] count = new long[1];
        for (int rank = 0; rank < table().placement().ranks(); rank++) {
            for (long index = 0; index < table().placement().buckets();) {
                index = table().readEntries(rank, index, (batch, key, value) -> count[0]++);
            }
        }
        return count[0];
    }

    @Override
    public String toString() {
        return "DistributedMap[" + name + "]";
    }

    /** What a map is opened with; every rank that opens it must ask for the same. */
    public static final class Builder<K, V> {

        private final String name;
        private final Codec<K> keys;
        private final Codec<V> values;
        private final Supplier<Participant> participant;
        private long capacity = 1 << 16;
        private @Nullable ToLongFunction<? super K> hash;

        private Builder(String name, Codec<K> keys, Codec<V> values, Supplier<Participant> participant) {
            this.name = name;
            this.keys = keys;
            this.values = values;
            this.participant = participant;
        }

        /** How many keys it must hold, over all ranks; 65,536 unless told. */
        public Builder<K, V> capacity(long keys) {
            this.capacity = keys;
            return this;
        }

        /** A hash of one's own; equal keys must have equal hashes, on every rank. What is weak in it is mixed. */
        public Builder<K, V> hash(ToLongFunction<? super K> hash) {
            this.hash = hash;
            return this;
        }

        /**
         * Attaches to the map, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         */
        public DistributedMap<K, V> open() {
            DistributedMap<K, V> map = openLazily();
            map.table();
            return map;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public DistributedMap<K, V> openLazily() {
            Placement.checkCapacity(capacity);
            Bucket bucket = new Bucket(keys.bytes(), values.bytes());
            if (bucket.size > BucketTable.LARGEST_BUCKET_BYTES) {
                throw new IllegalArgumentException(
                        "keys and values do not fit into a bucket: map=" + name + " bucketBytes=" + bucket.size
                                + " largestBytes=" + BucketTable.LARGEST_BUCKET_BYTES);
            }
            String configuration = "map keys=" + keys.name() + " values=" + values.name() + " capacity=" + capacity
                    + " hash="
                    + (hash == null ? "words" : "own");
            return new DistributedMap<>(this,
                    new Handle<>(opening(name, participant, bucket, capacity, configuration)));
        }

        private static Supplier<BucketTable> opening(String name, Supplier<Participant> participant, Bucket bucket,
                long capacity, String configuration) {
            return () -> {
                Participant self = participant.get();
                Placement placement = Placement.forCapacity(self.size(), capacity);
                long[] blocks = self.directory().open(name, configuration, rank -> placement.buckets() * bucket.size);
                return new BucketTable(name, self, placement, bucket, blocks);
            };
        }
    }
}
