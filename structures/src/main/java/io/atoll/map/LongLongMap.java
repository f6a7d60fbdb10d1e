package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A hash map from long to long over all ranks, for counting: without boxing, without allocation, and with increments that are exact whoever
 * else inserts or removes the key meanwhile (BCL, section 5.1, with buckets of its own).
 *
 * <p>Values lie between {@link #SMALLEST_VALUE} and {@link #LARGEST_VALUE}, 62 bits. All operations are atomic with each other (linearizable).
 * They are lock-free but for one case: who inserts a key that was never in the map waits for another who has begun to do so in
 * the same bucket. If that rank dies, what it has begun is undone; if it lives and does not go on, the wait ends with a
 * {@link io.atoll.failure.FabricTimeoutException} that names it. Finding and removing never wait.
 *
 * <p>While the rank that owns the key is not there, operations fail with a {@link io.atoll.failure.RankUnreachableException}. One that fails so may have
 * taken effect or not: whoever repeats an increment may have counted twice.
 *
 * <p>Costs are those of a key that lies where it is first looked for; R, W and A are a remote read, write and atomic. On a key that this
 * rank owns, no verb where the fabric's atomics are the CPU's. Where less than 16 bytes arrive whole, W is two writes in one
 * batch, and a look at the key 0 costs another R.
 */
public final class LongLongMap {

    public static final long SMALLEST_VALUE = LongBucket.SMALLEST_VALUE;
    public static final long LARGEST_VALUE = LongBucket.LARGEST_VALUE;

    /** The largest amount of one increment, up or down. */
    public static final long LARGEST_DELTA = LongBucket.LARGEST_DELTA;

    /** Takes an entry. */
    @FunctionalInterface
    public interface Visitor extends LongVisitor {}

    private final String name;
    private final Handle<LongTable> handle;

    LongLongMap(String name, Handle<LongTable> handle) {
        this.name = name;
        this.handle = handle;
    }

    /** Begins to open the map of this name. */
    public static Builder builder(String name, Supplier<Participant> participant, EpochManager epochs) {
        return new Builder(name, participant, epochs);
    }

    /** Bytes that a map of this fixed capacity takes in each rank's segment, in a world of so many ranks. */
    public static long bytesPerRank(int ranks, long capacity) {
        return Placement.forCapacity(ranks, capacity).buckets() * LongBucket.SIZE;
    }

    public String name() {
        return name;
    }

    /** For an operation, which is counted. */
    private LongTable table() {
        return handle.use();
    }

    /** Buckets over all ranks, at the moment: the capacity asked for, plus what keeps probing short, plus what came by growing. Cost: none where the capacity is fixed; else R for each rank. */
    public long buckets() {
        return handle.opened().buckets();
    }

    /** The rank in whose segment the key belongs. Cost: none. */
    public int owner(long key) {
        return handle.opened().ownerOf(key);
    }

    /** The key's value, or {@code otherwise}. Cost: R. */
    public long find(long key, long otherwise) {
        return table().find(key, otherwise);
    }

    /**
     * As {@link #find(long, long)}, for callers who keep a promise. {@link Promise#onlyFinds} saves nothing here: without it, too, a find is one read. Cost: R; no verb where the promise is {@link
     * Promise#local}, on any fabric.
     *
     * @throws IllegalStateException if it is local, for a key of another rank
     */
    public long find(long key, long otherwise, Promise.Finding promise) {
        return table().find(key, otherwise, promise);
    }

    /** Whether the key has a value. Cost: R. */
    public boolean contains(long key) {
        // A value that no key can have tells absence from presence.
        return table().find(key, Long.MIN_VALUE) != Long.MIN_VALUE;
    }

    /**
     * The values of these keys, in their order, each as it was at some moment meanwhile; {@code otherwise} for those that have none. Cost: R for each, in one round trip for 512 keys
     * of a rank.
     */
    public long[] getAll(long[] keys, long otherwise) {
        long[] values = handle.use(keys.length).words(keys);
        for (int index = 0; index < values.length; index++) {
            values[index] = LongBucket.isPresent(values[index]) ? LongBucket.value(values[index]) : otherwise;
        }
        return values;
    }

    /**
     * Gives the key a value if it has none; true if it had none. Cost: A + W for a key that was never in the map, A + R for one that has a value.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean insert(long key, long value) {
        checkValue(value);
        return table().insert(key, value);
    }

    /**
     * As {@link #insert(long, long)}, for callers who keep a promise. {@link Promise#onlyInserts} saves nothing: it takes the atomic to tell two who want one bucket apart, and who inserts the next key
     * looks at the bucket as a finder does. Cost: as there; no verb where the promise is {@link Promise#local}, on any fabric, but for one key in 64 that is counted where the map grows.
     *
     * @throws IllegalStateException if it is local, for a key of another rank
     */
    public boolean insert(long key, long value, Promise.Inserting promise) {
        checkValue(value);
        return table().insert(key, value, promise);
    }

    /**
     * Gives the key this value; true if it had none. Cost: R + A; for a key that was never in the map W more.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean put(long key, long value) {
        checkValue(value);
        return table().put(key, value);
    }

    /**
     * Adds to the key's value, which is 0 for a key that has none, and returns the sum. Cost: R + A; for a key that was never in the map W more.
     *
     * @param delta at most {@link #LARGEST_DELTA}, up or down
     * @throws ArithmeticException when the sum would leave the range of values; nothing was added then. Increments at the same time do not see each
     * other, so together they may carry a value beyond the range; it is exact there, too
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public long increment(long key, long delta) {
        if (delta > LARGEST_DELTA || delta < -LARGEST_DELTA) {
            throw new IllegalArgumentException("an increment is between -2^47 and 2^47: delta=" + delta);
        }
        return table().increment(key, delta);
    }

    /** Gives the key this value if it has the expected one; whether it had. Cost: R + A; R if it had another or none. */
    public boolean compareAndSet(long key, long expected, long value) {
        checkValue(expected);
        checkValue(value);
        return table().compareAndSet(key, expected, value);
    }

    /** Removes the key and returns the value it had, or {@code otherwise}. Its bucket remains the key's. Cost: R + A; R if it had none. */
    public long remove(long key, long otherwise) {
        return table().remove(key, otherwise);
    }

    /** Removes all keys, one after the other; those that are inserted meanwhile may stay. Cost: that of {@link #forEach(Visitor)}, and of {@link #remove} for each. */
    public void clear() {
        forEach((key, value) -> remove(key, 0));
    }

    /**
     * Visits the entries that lie in this rank's segment, each key once at most; what changes meanwhile may or may not be seen. Cost: no verb where the
     * own memory may be read directly.
     */
    public void forEachLocal(Visitor visitor) {
        LongTable table = table();
        table.forEach(table.endpoint.rank(), visitor);
    }

    /** As {@link #forEachLocal}, of all ranks, one after the other. Cost: R for each 2,048 buckets. */
    public void forEach(Visitor visitor) {
        LongTable table = table();
        for (int rank = 0; rank < table.blocks.ranks(); rank++) {
            table.forEach(rank, visitor);
        }
    }

    /**
     * Visits some entries from a place on, each key once at most, rank by rank: about as many as are wanted, fewer where
     * the map is sparse, since what is read is bounded. What changes meanwhile may or may not be seen. Cost: R for each {@value Stretch#FIRST_BUCKETS} buckets at first, and for
     * as many then as have the rest if they are as full; of {@value Stretch#MOST_BUCKETS} buckets and {@value Stretch#MOST_READS} R about at most.
     *
     * @return where to go on; empty at the end of the map
     */
    public Optional<MapPlace> forEach(MapPlace from, int wanted, Visitor visitor) {
        LongTable table = table();
        Stretch stretch = new Stretch(wanted);
        return from.read(table.blocks.ranks(), stretch,
                (rank, home) -> table.forEach(rank, home, stretch, visitor));
    }

    /** How many keys have a value; exact while nobody changes the map. Cost: that of {@link #forEach(Visitor)}. */
    public long size() {
        long[] count = new long[1];
        forEach((key, value) -> count[0]++);
        return count[0];
    }

    /**
     * How many keys have a value, about: from what is counted of one key in 64, or of more in a small map. Exact only by chance. Cost: R for each rank, 2 R while it grows;
     * where the capacity is fixed nobody counts, and it is that of {@link #size}.
     */
    public long sizeEstimate() {
        return handle.opened().blocks.estimate().orElseGet(this::size);
    }

    private static void checkValue(long value) {
        if (value < SMALLEST_VALUE || value > LARGEST_VALUE) {
            throw new IllegalArgumentException("values are between -2^61 and 2^61 - 1: value=" + value);
        }
    }

    @Override
    public String toString() {
        return "LongLongMap[" + name + "]";
    }

    /** What a map is opened with; every rank that opens it must ask for the same. */
    public static final class Builder {

        private final MapOpening opening;

        private Builder(String name, Supplier<Participant> participant, EpochManager epochs) {
            this.opening = new MapOpening(name, participant, epochs);
        }

        /** How many keys it has room for at first, over all ranks; 65,536 unless told. It grows. */
        public Builder capacity(long keys) {
            opening.capacity(new Capacity(keys, false));
            return this;
        }

        /** How many keys it must hold, over all ranks, for good, those included that were removed: a map that does not grow costs less, and says so when it is full. */
        public Builder fixedCapacity(long keys) {
            opening.capacity(new Capacity(keys, true));
            return this;
        }

        /**
         * What becomes of the keys of a rank that has lost its segment: unless told otherwise, operations on them fail
         * with a {@link io.atoll.failure.SegmentLostException}, and the map cannot be opened any more. With {@link
         * OnLoss#EMPTY} the rank's part begins empty: for maps that can be filled again, such as caches.
         */
        public Builder onLoss(OnLoss becomes) {
            opening.onLoss(becomes);
            return this;
        }

        /** As {@link DistributedMap.Builder#checkedPromises}. */
        public Builder checkedPromises() {
            opening.checkedPromises(LongLongMap.class);
            return this;
        }

        /**
         * Attaches to the map, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         */
        public LongLongMap open() {
            LongLongMap map = openLazily();
            map.handle.opened();
            return map;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public LongLongMap openLazily() {
            String name = opening.name();
            return new LongLongMap(name,
                    opening.handle("long-map", LongBucket.SIZE, false, (self, blocks, watch) -> watch == null
                            ? new LongTable(name, self, blocks)
                            : new WatchedLongTable(name, self, blocks, watch)));
        }
    }
}
