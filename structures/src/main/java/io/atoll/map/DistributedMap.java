package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.epoch.EpochManager;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A hash map over all ranks (BCL, section 5.1). Null is neither a key nor a value.
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
 *
 * <p>That is for keys and values of fixed size. Others lie beside the buckets, at the same rank, each key with its value: finding one that is there takes R more, and so does
 * changing one, and storing takes W and what {@link io.atoll.heap.Heap#allocate} takes more. What was replaced or removed is freed through the {@link EpochManager}: when
 * somebody reclaims. A death, or an operation that fails since a connection has broken, can lose the memory of one entry for each operation that was under way.
 */
public final class DistributedMap<K, V> {

    private final String name;
    private final Handle<Entries<K, V>> handle;

    DistributedMap(String name, Handle<Entries<K, V>> handle) {
        this.name = name;
        this.handle = handle;
    }

    /**
     * Begins to open the map of this name.
     *
     * @param epochs frees the memory of keys and values of variable size, and of buckets when the map has grown
     */
    public static <K, V> Builder<K, V> builder(String name, Class<K> keys, Class<V> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return Codecs.isFixed(keys) && Codecs.isFixed(values)
                ? builder(name, Codecs.forType(keys), Codecs.forType(values), participant, epochs)
                : builder(name, VariableCodecs.forType(keys), VariableCodecs.forType(values), participant, epochs);
    }

    /**
     * Begins to open the map of this name, for types of fixed size with codecs of one's own.
     *
     * @param epochs frees the memory of buckets when the map has grown
     */
    public static <K, V> Builder<K, V> builder(String name, Codec<K> keys, Codec<V> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, new InlineForm<>(name, keys, values), participant, epochs);
    }

    /**
     * Begins to open the map of this name, for types of variable size with codecs of one's own.
     *
     * @param epochs frees the memory of keys and values, and of buckets when the map has grown
     * @throws IllegalArgumentException if the keys' codec is not {@linkplain VariableCodec#canonical() canonical}
     */
    public static <K, V> Builder<K, V> builder(String name, VariableCodec<K> keys, VariableCodec<V> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, new PayloadForm<>(name, keys, values, epochs), participant, epochs);
    }

    public String name() {
        return name;
    }

    /** For an operation, which is counted. */
    private Entries<K, V> entries() {
        return handle.use();
    }

    /** For an operation on all of it. */
    EntriesOfAllRanks<K, V> all() {
        return all(1);
    }

    private EntriesOfAllRanks<K, V> all(int operations) {
        return new EntriesOfAllRanks<>(handle.use(operations));
    }

    /** Buckets over all ranks, at the moment: the capacity asked for, plus what keeps probing short, plus what came by growing. Cost: none where the capacity is fixed; else R for each rank. */
    public long buckets() {
        return handle.opened().table().buckets();
    }

    /** The rank in whose segment the key belongs. Cost: none. */
    public int owner(K key) {
        return handle.opened().owner(key);
    }

    // --- finding ---

    /** The key's value, or null. Cost: R. */
    public @Nullable V find(K key) {
        return find(key, Promise.nothing());
    }

    /**
     * As {@link #find(Object)}, for callers who keep a promise. Cost: R, one read on every fabric where there are {@link Promise#onlyFinds}; no verb where the promise is {@link Promise#local}, on any
     * fabric.
     *
     * @throws IllegalStateException if it is local, for a key of another rank
     */
    public @Nullable V find(K key, Promise.Finding promise) {
        return entries().find(key, promise);
    }

    /**
     * The values of all of these keys that have one, each as it was at some moment meanwhile. Keys of one rank are looked for at once. Cost: R for each key, in one round trip
     * for some hundred keys of a rank.
     */
    public Map<K, V> getAll(Collection<? extends K> keys) {
        return all(keys.size()).find(keys);
    }

    /** Whether the key has a value. Cost: R. */
    public boolean contains(K key) {
        return entries().contains(key);
    }

    // --- changing ---

    /**
     * Gives the key a value if it has none; true if it had none. Cost: A + W for a key that was never in the map, A + R for one that has a value.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean insert(K key, V value) {
        return insert(key, value, Promise.nothing());
    }

    /**
     * As {@link #insert(Object, Object)}, for callers who keep a promise. {@link Promise#onlyInserts} saves nothing: it takes the atomic to tell two who want one bucket apart, and who inserts the
     * next key looks at the bucket as a finder does, so that its state is written behind the entry. Cost: as there; no verb where the promise is {@link Promise#local}, on any fabric, but for one
     * key in 64 that is counted where the map grows, and for {@link io.atoll.heap.Heap#allocate} where keys or values are of variable size.
     *
     * @throws IllegalStateException if it is local, for a key of another rank
     */
    public boolean insert(K key, V value, Promise.Inserting promise) {
        return entries().insert(key, value, promise);
    }

    /** As {@link #insert}, but returns the value that the key has, or null if it had none. */
    public @Nullable V putIfAbsent(K key, V value) {
        return entries().putIfAbsent(key, value);
    }

    /**
     * Gives the key this value; true if it had none. Cost: R + A + W.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean put(K key, V value) {
        return entries().change(key, new Edit.Put<>(value, true, true, false));
    }

    /**
     * Gives all of these keys their values, each at some moment meanwhile; if it fails, some of them. Keys of one rank are stored at once where values are of fixed size. Cost: R + A + W for
     * each key, in three round trips for 64 of a rank; one after the other where values are of variable size.
     *
     * @throws io.atoll.failure.TableFullException when the block of a rank that owns one is full
     */
    public void putAll(Map<? extends K, ? extends V> values) {
        all(values.size()).put(values);
    }

    /** As {@link #put}, but returns the value that the key had, or null. */
    public @Nullable V getAndPut(K key, V value) {
        var store = new Edit.Put<>(value, true, true, true);
        entries().change(key, store);
        return store.former;
    }

    /** Gives the key this value if it has one, and returns the one it had, or null. Cost: R + A + W; R if it had none. */
    public @Nullable V replace(K key, V value) {
        var replace = new Edit.Put<>(value, false, true, true);
        entries().change(key, replace);
        return replace.former;
    }

    /**
     * Gives the key a value if it has the expected one, that is to say, one that is stored in the same way; whether it had. Cost: R + A + W; R if it had another or
     * none.
     */
    public boolean replace(K key, V expected, V value) {
        var replace = new Edit.Exchange<>(expected, Objects.requireNonNull(value, "value"));
        entries().change(key, replace);
        return replace.found;
    }

    /** Removes the key and returns the value it had, or null. Its bucket remains the key's. Cost: R + A; R if it had none. */
    public @Nullable V remove(K key) {
        var remove = new Edit.Remove<V>(true);
        entries().change(key, remove);
        return remove.value;
    }

    /** Removes the key; whether it had a value, which is not read: it may be one that cannot be read here. Cost: that of {@link #remove(Object)}. */
    public boolean delete(K key) {
        var remove = new Edit.Remove<V>(false);
        entries().change(key, remove);
        return remove.found;
    }

    /** Removes the key if it has the expected value; whether it had. Cost: R + A; R if it had another or none. */
    public boolean remove(K key, V expected) {
        var remove = new Edit.Exchange<>(expected, null);
        entries().change(key, remove);
        return remove.found;
    }

    /** Removes all keys, one after the other, and reads no value; those that are inserted meanwhile may stay. Cost: that of {@link #forEach(BiConsumer)}, and of {@link #delete} for each. */
    public void clear() {
        all().keys().forEachRemaining(this::delete);
    }

    // --- changing by a function ---

    /**
     * Gives the key this value if it has none, else what {@code combine} makes of the one it has and this, which if it is null removes the key; returns what it has then.
     * All of that at once: {@code merge(word, 1L, Long::sum)} counts exactly, whoever else counts. Cost: R + A + W.
     *
     * @param combine see {@link #compute}
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> combine) {
        var merge = new Edit.Merge<V>(value, combine);
        entries().change(key, merge);
        return merge.value;
    }

    /**
     * Gives the key what the function makes of it and its value, or of null if it has none; if that is null removes it. Returns what it has then. Cost: R + A + W; for a
     * key that was never in the map W more.
     *
     * @param function called once, by this thread, while the entry is reserved for it: others who want to change the entry wait, and fail if that takes longer than the
     * world's operation timeout; who finds it sees what it was. If it throws, whatever that is, the entry stays what it was; that of a key which was never in the map keeps its bucket, as
     * that of a removed one does. It may use this map for other keys; it is refused to change this one
     * @throws IllegalStateException when the function tries to change the entry itself; from another thread, or by another handle of the same map, that ends with a
     * {@link io.atoll.failure.FabricTimeoutException}
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        return computed(key, new Edit.Compute<V>(true, true, present -> function.apply(key, present)));
    }

    /** As {@link #compute}, if the key has no value; returns the one it has then, or null. Cost: R if it has one. */
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        return computed(key, new Edit.Compute<V>(true, false, absent -> function.apply(key)));
    }

    /** As {@link #compute}, if the key has a value; else returns null. Cost: R if it has none. */
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        return computed(key, new Edit.Compute<V>(false, true,
                present -> function.apply(key, Objects.requireNonNull(present))));
    }

    private @Nullable V computed(K key, Edit.Compute<V> compute) {
        entries().change(key, compute);
        return compute.value;
    }

    /**
     * Begins to collect insertions, which are sent in bulk: for phases in which all ranks insert (BCL, section 5.3). All ranks open it, with the same sizes;
     * a process that has opened it already is given the same one.
     *
     * @param queueSize entries that each rank has room for until the next flush, of 64 bytes each if they are of variable size; what exceeds it is inserted at once, one by one
     * @param messageSize entries that are sent at once, fewer if they are larger than that
     * @throws io.atoll.failure.ConfigurationMismatchException when other ranks have opened it with other sizes; says which
     * @throws io.atoll.failure.SegmentFullException when there is no room for the queues
     */
    public HashMapBuffer<K, V> buffer(int queueSize, int messageSize) {
        return HashMapBuffer.open(name, handle, new BufferSizes(queueSize, messageSize));
    }

    // --- all of it ---

    /**
     * Visits the entries that lie in this rank's segment, each key once at most; what changes meanwhile may or may not be seen. Cost: no verb where the
     * own memory may be read directly.
     */
    public void forEachLocal(BiConsumer<? super K, ? super V> visitor) {
        all().forEach(handle.opened().table().endpoint.rank(), visitor);
    }

    /** As {@link #forEachLocal}, of all ranks, one after the other. Cost: R for each 32 KiB of buckets, or for each bucket where they do not arrive whole. */
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        all().forEach(visitor);
    }

    /**
     * Visits some entries from a place on, each key once at most, rank by rank: about as many as are wanted, fewer where
     * the map is sparse, since what is read is bounded. What changes meanwhile may or may not be seen. Cost: R for each {@value Stretch#FIRST_BUCKETS} buckets at first, and for
     * as many then as have the rest if they are as full; of {@value Stretch#MOST_BUCKETS} buckets and {@value Stretch#MOST_READS} R about at most; R for each bucket where
     * they do not arrive whole, and R for each entry of variable size more.
     *
     * @return where to go on; empty at the end of the map
     */
    public Optional<MapPlace> forEach(MapPlace from, int wanted, BiConsumer<? super K, ? super V> visitor) {
        Entries<K, V> entries = entries();
        Stretch stretch = new Stretch(wanted);
        return from.read(entries.table().ranks(), stretch, (rank, home) -> entries.forEach(rank, home, stretch,
                entry -> visitor.accept(entry.getKey(), entry.getValue())));
    }

    /**
     * This map as the JDK knows maps, all of whose operations are the atomic ones above. What differs from the JDK's own:
     * <ul>
     * <li>values are equal if they are stored in the same way, which is {@link Object#equals} for all types with a codec but arrays, and records with an
     * {@code equals} of their own;
     * <li>{@code size}, {@code containsValue} and views read all buckets, of all ranks; iteration is in no order, and what changes meanwhile may or may not be seen;
     * <li>an entry is what it was when it was read; {@code setValue} puts the value into the map, whatever is there by then;
     * <li>{@code removeIf}, {@code removeAll} and {@code retainAll} of {@code entrySet()} and {@code values()} remove an entry only if it still has the value that they looked at; an iterator's
     * {@code remove}, and those of {@code keySet()}, remove the key whatever value it has by then, as {@link java.util.concurrent.ConcurrentHashMap} does;
     * <li>every operation can fail as those of a map do that lies on other machines: with an {@link io.atoll.failure.AtollException}.
     * </ul>
     */
    public ConcurrentMap<K, V> asConcurrentMap() {
        return new ConcurrentView<>(this);
    }

    /** How many keys have a value; exact while nobody changes the map. Cost: that of {@link #forEach(BiConsumer)}. */
    public long size() {
        return all().count();
    }

    /**
     * How many keys have a value, about: from what is counted of one key in 64, or of more in a small map. Exact only by chance. Cost: R for each rank, 2 R while it grows;
     * where the capacity is fixed nobody counts, and it is that of {@link #size}.
     */
    public long sizeEstimate() {
        return handle.opened().table().blocks.estimate().orElseGet(this::size);
    }

    /** Whether no key has a value. Cost: that of {@link #forEach(BiConsumer)} up to the first entry. */
    public boolean isEmpty() {
        return all().isEmpty();
    }

    @Override
    public String toString() {
        return "DistributedMap[" + name + "]";
    }

    /** What a map is opened with; every rank that opens it must ask for the same. */
    public static final class Builder<K, V> {

        private final MapOpening opening;
        private final Form<K, V> form;
        private @Nullable ToLongFunction<? super K> hash;

        private Builder(String name, Form<K, V> form, Supplier<Participant> participant, EpochManager epochs) {
            this.opening = new MapOpening(name, participant, epochs);
            this.form = form;
        }

        /** How many keys it has room for at first, over all ranks; 65,536 unless told. It grows. */
        public Builder<K, V> capacity(long keys) {
            opening.capacity(new Capacity(keys, false));
            return this;
        }

        /** How many keys it must hold, over all ranks, for good, those included that were removed: a map that does not grow costs less, and says so when it is full. */
        public Builder<K, V> fixedCapacity(long keys) {
            opening.capacity(new Capacity(keys, true));
            return this;
        }

        /**
         * What becomes of the keys of a rank that has lost its segment: unless told otherwise, operations on them fail
         * with a {@link io.atoll.failure.SegmentLostException}, and the map cannot be opened any more. With {@link
         * OnLoss#EMPTY} the rank's part begins empty: for maps that can be filled again, such as caches.
         */
        public Builder<K, V> onLoss(OnLoss becomes) {
            opening.onLoss(becomes);
            return this;
        }

        /**
         * Watches over promises: of two operations between the same two barriers of which one breaks what the caller of the other has promised, one fails with a
         * {@link io.atoll.promise.BrokenPromiseException} that names both callers. For tests and trials; all ranks must ask for it, those that do not are not seen. Cost:
         * the first operation of a kind after a barrier 2 W + R for each rank more, all others nothing.
         */
        public Builder<K, V> checkedPromises() {
            opening.checkedPromises(DistributedMap.class, HashMapBuffer.class, Stage.class);
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
            map.handle.opened();
            return map;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public DistributedMap<K, V> openLazily() {
            Bucket bucket = form.bucket();
            if (bucket.size > BucketTable.LARGEST_BUCKET_BYTES) {
                throw new IllegalArgumentException(
                        "keys and values do not fit into a bucket: map=" + opening.name() + " bucketBytes="
                                + bucket.size + " largestBytes=" + BucketTable.LARGEST_BUCKET_BYTES);
            }
            Form<K, V> stored = form;
            ToLongFunction<? super K> hashing = hash;
            String configuration = "map " + stored.configuration(hashing != null);
            return new DistributedMap<>(opening.name(),
                    opening.handle(configuration, bucket.size, stored.hasReferences(), (self, blocks, watch) -> {
                        Entries<K, V> entries = stored.entries(self, blocks, hashing);
                        return watch == null ? entries : new WatchedEntries<>(entries, watch, MapUse.INSERT);
                    }));
        }
    }
}
