package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.completion.Completions;
import io.atoll.epoch.EpochManager;
import io.atoll.map.Entries.Edit;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A hash map over all ranks (BCL, section 5.1). Null is neither a key nor a value.
 *
 * <p>Methods have the names of {@link java.util.Map}. Those that return true or false read no value. Their siblings
 * {@link #getAndPut}, {@link #getAndPutIfAbsent}, {@link #getAndReplace} and {@link #getAndRemove} return the former
 * value, as in JSR 107. BCL's find and insert are {@link #get(Object)} and {@link #putIfAbsent(Object, Object)}.
 *
 * <p>All operations are atomic with each other (linearizable). {@link #get} is lock-free and never waits. An operation
 * that changes an entry waits while another operation changes the same entry. The insertion of a key that was never in
 * the map waits while another thread inserts such a key into the same bucket. If the rank that is waited for dies, its
 * unfinished operation is undone. If it lives and does not go on, the wait ends with a {@link
 * io.atoll.failure.FabricTimeoutException} that names it. Once an operation has returned, the death of another rank
 * never destroys what it has stored.
 *
 * <p>While the rank that owns the key is not there, operations fail with a
 * {@link io.atoll.failure.RankUnreachableException}. An operation that fails so may or may not have taken effect: a
 * caller that repeats a {@link #merge} may count twice.
 *
 * <p>Costs are those of a key that lies where the search for it begins. R, W and A are a remote read, write and atomic.
 * A key that this rank owns costs no verb if the fabric's atomics are the CPU's. If a bucket does not arrive whole, R
 * is three reads: state, bucket and state. They take one round trip if the fabric keeps reads in order. W is then two
 * writes in one round trip. Replacing a value always takes these two writes.
 *
 * <p>W after A takes no round trip of its own where the owner decides ({@link
 * io.atoll.fabric.Guarantees#guardsAtOwner}), as over TCP. There the owner also finds the key itself. Then what stores
 * or removes a value, whatever it was, is one round trip. It has a search, two atomics, an insertion at the key's home
 * and a read. So it is for buckets of at most 512 bytes and keys of at most 48. If the codec fails to read the value
 * that was there, it has been replaced or removed by then. What a function says is stored by a second round trip.
 *
 * <p>These costs are for keys and values of fixed size. Others lie beside the buckets, at the same rank, each key with
 * its value. Finding a key that is there takes R more, and so does changing one. Storing takes W more, and what
 * {@link io.atoll.heap.Heap#allocate} takes. The memory of replaced and removed entries is freed through the
 * {@link EpochManager}, when a thread reclaims. A death, or an operation that fails because a connection broke, can
 * lose memory: one entry for each operation that was under way.
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
     * Begins to open the map of this name, for types of fixed size with the caller's own codecs.
     *
     * @param epochs frees the memory of buckets when the map has grown
     */
    public static <K, V> Builder<K, V> builder(String name, Codec<K> keys, Codec<V> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, new InlineForm<>(name, keys, values), participant, epochs);
    }

    /**
     * Begins to open the map of this name, for types of variable size with the caller's own codecs.
     *
     * @param epochs frees the memory of keys and values, and of buckets when the map has grown
     * @throws IllegalArgumentException if the keys' codec is not {@linkplain VariableCodec#canonical() canonical}
     */
    public static <K, V> Builder<K, V> builder(String name, VariableCodec<K> keys, VariableCodec<V> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, new PayloadForm<>(name, keys, values, epochs), participant, epochs);
    }

    /**
     * Returns the figures that a map shows to monitoring.
     *
     * @param seeds of keys' hashes, as far as a rank knows them
     */
    public static StructureStats figures(IntFunction<OptionalLong> seeds) {
        return new ObjectFigures(seeds);
    }

    public String name() {
        return name;
    }

    /** Returns the entries for one operation, which is counted, and checked against what callers have promised. */
    Entries<K, V> entries(MapPromises use) {
        return entries(use, 1);
    }

    private Entries<K, V> entries(MapPromises use, int operations) {
        Entries<K, V> entries = handle.use(operations);
        entries.table.enter(use);
        return entries;
    }

    /** As {@link #entries(MapPromises)}, for one operation that looks at the whole map. */
    EntriesOfAllRanks<K, V> all() {
        return new EntriesOfAllRanks<>(entries(MapPromises.FIND));
    }

    /**
     * Returns the present number of buckets over all ranks. It is the capacity asked for, plus buckets that keep
     * probing short, plus buckets that were added by growing. It is less where a rank had no room at first. Cost: none
     * if the capacity is fixed; else R for each rank.
     */
    public long buckets() {
        return handle.opened().table.buckets();
    }

    /** Returns the rank in whose segment the key belongs. Cost: none. */
    public int owner(K key) {
        return handle.opened().owner(key);
    }

    /** Returns this map for asynchronous operations. Cost: none. */
    public AsyncMap<K, V> async(Completions completions) {
        return new AsyncMap<>(this, completions);
    }

    // --- finding ---

    /** Returns the key's value, or null if it has none. Cost: R. */
    public @Nullable V get(K key) {
        return get(key, Promise.nothing());
    }

    /**
     * As {@link #get(Object)}, for callers that keep a promise. Cost: R, which is one read on every fabric under
     * {@link Promise#onlyReads}; no verb on any fabric under {@link Promise#local}.
     *
     * @throws IllegalStateException if the promise is local and the key belongs to another rank
     */
    public @Nullable V get(K key, Promise.Reading promise) {
        return entries(MapPromises.find(promise)).find(key, promise);
    }

    /**
     * Returns the values of all these keys that have one. Each value is the one the key had at some moment during the
     * call. Keys are looked for together, whatever ranks they belong to. Cost: R for each key. It is one or two round
     * trips for 32 KiB of what is read, and as many more if values are of variable size.
     *
     * @throws io.atoll.failure.RankUnreachableException if an {@link #owner} cannot be reached. It names the rank, and
     * its suppressed exceptions name the other owners that cannot be reached. All other owners have answered
     */
    public Map<K, V> getAll(Collection<? extends K> keys) {
        return keys.isEmpty()
                ? new HashMap<>()
                : new EntriesOfAllRanks<>(entries(MapPromises.FIND, keys.size())).find(keys);
    }

    /** Returns true if the key has a value. Cost: R. */
    public boolean containsKey(K key) {
        return entries(MapPromises.FIND).contains(key);
    }

    // --- changing ---

    /**
     * Gives the key a value if it has none. Returns true if it had none. Cost: A + W for a key that was never in the
     * map, A + R for a key that has a value.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean putIfAbsent(K key, V value) {
        return putIfAbsent(key, value, Promise.nothing());
    }

    /**
     * As {@link #putIfAbsent(Object, Object)}, for callers that keep a promise. {@link Promise#onlyInserts} saves
     * nothing. The atomic is still needed to tell two threads apart that want one bucket. The thread that inserts the
     * next key looks at the bucket as a finder does. So the state is still written behind the entry.
     *
     * <p>Cost: that of {@link #putIfAbsent(Object, Object)}. Under {@link Promise#local} no verb on any fabric, with
     * two exceptions. One key in 64 is counted if the map grows. Keys or values of variable size take {@link
     * io.atoll.heap.Heap#allocate}.
     *
     * @throws IllegalStateException if the promise is local and the key belongs to another rank
     */
    public boolean putIfAbsent(K key, V value, Promise.Inserting promise) {
        return entries(MapPromises.insert(promise)).insert(key, value, promise);
    }

    /** As {@link #putIfAbsent}, but returns the value that the key has, or null if it had none. */
    public @Nullable V getAndPutIfAbsent(K key, V value) {
        return entries(MapPromises.INSERT).putIfAbsent(key, value);
    }

    /**
     * Gives the key this value. Returns true if it had none. Cost: R + A + W.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean put(K key, V value) {
        return entries(MapPromises.CHANGE).change(key, Edit.put(value));
    }

    /**
     * Gives all these keys their values, each at some moment during the call. Keys are stored together, whatever ranks
     * they belong to. Cost: R + A + W for each key. Over TCP it is two to four round trips for 256 keys or 32 KiB.
     * Elsewhere it is three or four for 64 keys, and one more for each 64 keys that follow. Values of variable size
     * cost an {@linkplain io.atoll.heap.Heap#allocate allocation} and W more, and R more for a key that is there.
     *
     * <p>If an {@link #owner} cannot be reached, all keys of other owners get their values, and then it fails. If it
     * fails otherwise, some of the keys have got theirs.
     *
     * @throws io.atoll.failure.RankUnreachableException if an owner cannot be reached. It names the rank, and its
     * suppressed exceptions name the other owners that cannot be reached. Some of their keys may have got their values
     * @throws io.atoll.failure.TableFullException when the block of a rank that owns one of the keys is full
     * @throws io.atoll.failure.SegmentFullException when that rank has no room for a value of variable size
     */
    public void putAll(Map<? extends K, ? extends V> values) {
        if (!values.isEmpty()) {
            new EntriesOfAllRanks<>(entries(MapPromises.CHANGE, values.size())).put(values);
        }
    }

    /** As {@link #put}, but returns the value that the key had, or null if it had none. */
    public @Nullable V getAndPut(K key, V value) {
        var put = Edit.getAndPut(value);
        entries(MapPromises.CHANGE).change(key, put);
        return put.former;
    }

    /**
     * Gives the key this value if it has one. Returns the value that it had, or null if it had none. Cost: R + A + W; R
     * if it had none.
     */
    public @Nullable V getAndReplace(K key, V value) {
        var replace = Edit.replace(value);
        entries(MapPromises.CHANGE).change(key, replace);
        return replace.former;
    }

    /**
     * Gives the key a value if it has the expected one, that is, one that is stored alike. Returns true if it had.
     * Cost: R + A + W; R if it had another value or none.
     */
    public boolean replace(K key, V expected, V value) {
        var replace = Edit.replace(expected, value);
        entries(MapPromises.CHANGE).change(key, replace);
        return replace.found;
    }

    /**
     * Removes the key. Returns the value that it had, or null if it had none. Its bucket remains the key's. Cost: R +
     * A; R if it had none.
     */
    public @Nullable V getAndRemove(K key) {
        var remove = Edit.<V>remove();
        entries(MapPromises.CHANGE).change(key, remove);
        return remove.value;
    }

    /**
     * Removes the key. Returns true if it had a value. The value is not read, so it may be one that cannot be read
     * here. Cost: that of {@link #getAndRemove(Object)}.
     */
    public boolean remove(K key) {
        var remove = Edit.<V>delete();
        entries(MapPromises.CHANGE).change(key, remove);
        return remove.found;
    }

    /**
     * Removes the key if it has the expected value. Returns true if it had. Cost: R + A; R if it had another value or
     * none.
     */
    public boolean remove(K key, V expected) {
        var remove = Edit.remove(expected);
        entries(MapPromises.CHANGE).change(key, remove);
        return remove.found;
    }

    /**
     * Removes all keys, one after the other, and reads no value. Keys that are inserted meanwhile may stay. Cost: that
     * of {@link #forEach(BiConsumer)}, and that of {@link #remove} for each key.
     */
    public void clear() {
        all().keys().forEachRemaining(this::remove);
    }

    // --- changing by a function ---

    /**
     * Gives the key this value if it has none. Else it gets what {@code combine} makes of its present value and this
     * one; null removes the key. Returns the value that the key has then, or null. All of that is one atomic step:
     * {@code merge(word, 1L, Long::sum)} counts exactly while other threads count too. Cost: R + A + W.
     *
     * @param combine see {@link #compute}
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> combine) {
        var merge = Edit.<V>merge(value, combine);
        entries(MapPromises.CHANGE).change(key, merge);
        return merge.value;
    }

    /**
     * Gives the key what the function makes of the key and its value, which is null if it has none. If the function
     * returns null, the key is removed. Returns the value that the key has then, or null. Cost: R + A + W; W more for a
     * key that was never in the map.
     *
     * @param function called once, by this thread, while the entry is reserved for it. Other threads that want to
     * change the entry wait. They fail if that takes longer than the world's operation timeout. A thread that finds the
     * key sees the old value. If the function throws anything, the entry stays what it was. A key that was never in the
     * map then keeps its bucket, as a removed key does. The function may use this map for other keys; it is refused to
     * change this one
     * @throws IllegalStateException when the function tries to change the entry itself. If it tries from another
     * thread, or by another handle of the same map, that ends with a {@link io.atoll.failure.FabricTimeoutException}
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return computed(key, Edit.<V>compute(present -> function.apply(key, present)));
    }

    /**
     * As {@link #compute}, if the key has no value. Returns the value that the key has then, or null. Cost: R if it has
     * one.
     */
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return computed(key, Edit.<V>computeIfAbsent(absent -> function.apply(key)));
    }

    /** As {@link #compute}, if the key has a value; else returns null. Cost: R if it has none. */
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function, "function");
        return computed(key, Edit.<V>computeIfPresent(
                present -> function.apply(key, Objects.requireNonNull(present))));
    }

    private @Nullable V computed(K key, Edit.Compute<V> compute) {
        entries(MapPromises.CHANGE).change(key, compute);
        return compute.value;
    }

    /**
     * Begins to collect insertions, which are sent in bulk: for phases in which all ranks insert (BCL, section 5.3).
     * All ranks open the buffer, with the same sizes. A process that has opened it already gets the same one.
     *
     * @param queueSize entries that each rank has room for until the next flush; entries of variable size count with 64
     * bytes each. Entries that exceed it are inserted at once, one by one
     * @param messageSize entries that are sent at once; fewer if they are of variable size and larger than 64 bytes
     * @throws io.atoll.failure.ConfigurationMismatchException when other ranks have opened it with other sizes; says
     * which
     * @throws io.atoll.failure.SegmentFullException when there is no room for the queues
     */
    public HashMapBuffer<K, V> buffer(int queueSize, int messageSize) {
        return HashMapBuffer.open(name, handle, new BufferSizes(queueSize, messageSize));
    }

    // --- all of it ---

    /**
     * Visits the entries that lie in this rank's segment, each key at most once. It may or may not see what changes
     * meanwhile. Cost: no verb if this rank's own memory may be read directly.
     */
    public void forEachLocal(BiConsumer<? super K, ? super V> visitor) {
        all().forEach(handle.opened().table.endpoint.rank(), visitor);
    }

    /**
     * As {@link #forEachLocal}, for all ranks, one after the other. Cost: R for each 32 KiB of buckets, or for a
     * third of that if buckets do not arrive whole.
     */
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        all().forEach(visitor);
    }

    /**
     * Visits some entries from a place on, each key at most once, rank by rank. It visits about as many as are wanted.
     * It visits fewer where the map is sparse, since what it reads is bounded. It may or may not see what changes
     * meanwhile. If a read behind the first one fails, this ends with what was visited, and the next call fails.
     *
     * <p>Cost: the first R reads {@value Stretch#FIRST_BUCKETS} buckets. Each further R reads as many buckets as hold
     * the missing entries if these buckets are as full as the first ones. In all it reads about {@value
     * Stretch#MOST_BUCKETS} buckets by {@value Stretch#MOST_READS} R at most. Where buckets do not arrive whole, it
     * takes R for each bucket. An entry of variable size takes R more.
     *
     * @return where to go on; empty at the end of the map
     * @throws io.atoll.failure.FabricException if the first entries, which the rank of {@code from} has, cannot be read
     */
    public Optional<MapPlace> forEach(MapPlace from, int wanted, BiConsumer<? super K, ? super V> visitor) {
        Entries<K, V> entries = entries(MapPromises.FIND);
        Stretch stretch = new Stretch(wanted);
        return from.read(entries.table.ranks(), stretch, (rank, home) -> entries.forEach(rank, home, stretch,
                entry -> visitor.accept(entry.getKey(), entry.getValue())));
    }

    /**
     * Returns this map as a map of the JDK. All its operations are the atomic ones above. It differs from the JDK's own
     * maps in these points:
     * <ul>
     * <li>Values are equal if they are stored in the same way. That is {@link Object#equals} for all types with a codec
     * but arrays, and records with an {@code equals} of their own.
     * <li>{@code size}, {@code containsValue} and the views read all buckets of all ranks. Iteration has no order, and
     * may or may not see what changes meanwhile.
     * <li>An entry is what it was when it was read. {@code setValue} puts the value into the map, whatever is there by
     * then.
     * <li>In {@code entrySet()} and {@code values()}, {@code removeIf}, {@code removeAll} and {@code retainAll} remove
     * an entry only if its value is still the one they looked at. An iterator's {@code remove}, and those of
     * {@code keySet()}, remove the key whatever value it has by then, as {@link java.util.concurrent.ConcurrentHashMap}
     * does.
     * <li>Every operation can fail with an {@link io.atoll.failure.AtollException}, because the map lies on other
     * machines.
     * </ul>
     */
    public ConcurrentMap<K, V> asConcurrentMap() {
        return new ConcurrentView<>(this);
    }

    /**
     * Returns the number of keys that have a value. It is exact while no thread changes the map. Cost: that of {@link
     * #forEach(BiConsumer)}.
     */
    public long size() {
        return all().count();
    }

    /**
     * Returns about how many keys have a value. One key in 64 is counted, or more in a small map. So the result is
     * exact only by chance. Cost: R for each rank, 2 R while the map grows. If the capacity is fixed nothing is
     * counted, and this is {@link #size} at its cost.
     */
    public long sizeEstimate() {
        return handle.opened().table.blocks.estimate().orElseGet(this::size);
    }

    /** Returns true if no key has a value. Cost: that of {@link #forEach(BiConsumer)} up to the first entry. */
    public boolean isEmpty() {
        return all().isEmpty();
    }

    @Override
    public String toString() {
        return "DistributedMap[" + name + "]";
    }

    /** The settings that a map is opened with. Every rank that opens it must give the same ones. */
    public static final class Builder<K, V> extends MapBuilder<DistributedMap<K, V>, Builder<K, V>> {

        private final Form<K, V> form;
        private @Nullable ToLongFunction<? super K> hash;

        private Builder(String name, Form<K, V> form, Supplier<Participant> participant, EpochManager epochs) {
            super(name, participant, epochs, DistributedMap.class, HashMapBuffer.class, SendBuffer.class);
            this.form = form;
        }

        /**
         * Sets the caller's own hash function. Equal keys must have equal hashes, on every rank. The map mixes each
         * hash to make up for a weak function.
         */
        public Builder<K, V> hash(ToLongFunction<? super K> hash) {
            this.hash = hash;
            return this;
        }

        @Override
        public DistributedMap<K, V> openLazily() {
            Bucket bucket = form.bucket();
            if (bucket.size > BucketReader.LARGEST_BUCKET_BYTES) {
                throw new IllegalArgumentException(
                        "keys and values do not fit into a bucket: map=" + name() + " bucketBytes="
                                + bucket.size + " largestBytes=" + BucketReader.LARGEST_BUCKET_BYTES);
            }
            Form<K, V> stored = form;
            ToLongFunction<? super K> hashing = hash;
            String configuration = "map " + stored.configuration(hashing != null);
            return new DistributedMap<>(name(),
                    handle(configuration, bucket.size, stored.hasReferences(),
                            (self, blocks, watch) -> stored.entries(self, blocks, hashing, watch)));
        }

        @Override
        protected Handle<?> handle(DistributedMap<K, V> map) {
            return map.handle;
        }
    }
}
