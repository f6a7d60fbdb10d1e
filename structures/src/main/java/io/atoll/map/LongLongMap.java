package io.atoll.map;

import io.atoll.completion.Completions;
import io.atoll.epoch.EpochManager;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * A hash map from long to long over all ranks, for counting. It neither boxes nor allocates. Its additions are exact
 * while other threads insert or remove the same key. See BCL, section 5.1; the buckets are its own.
 *
 * <p>BCL's find and insert are {@link #getOrDefault(long, long)} and {@link #putIfAbsent(long, long)}.
 *
 * <p>Values lie between {@link #SMALLEST_VALUE} and {@link #LARGEST_VALUE}, 62 bits. All operations are atomic with
 * each other (linearizable). They are lock-free but for one case. Inserting a key that was never in the map waits while
 * another thread inserts such a key into the same bucket. If the rank that is waited for dies, its unfinished insertion
 * is undone. If it lives and does not go on, the wait ends with a {@link io.atoll.failure.FabricTimeoutException} that
 * names it. Finding and removing never wait.
 *
 * <p>While the rank that owns the key is not there, operations fail with a
 * {@link io.atoll.failure.RankUnreachableException}. An operation that fails so may or may not have taken effect: a
 * caller that repeats an addition may count twice.
 *
 * <p>Costs are those of a key that lies where the search for it begins. R, W and A are a remote read, write and atomic.
 * A key that this rank owns costs no verb if the fabric's atomics are the CPU's. If less than 16 bytes arrive whole, W
 * is two writes in one batch. A look at the key 0 then costs another R. Where the owner decides ({@link
 * io.atoll.fabric.Guarantees#guardsAtOwner}), as over TCP, it finds the key itself. Then an operation that changes one
 * key is one round trip. It has a search, an atomic, an insertion at the key's home and a read.
 */
public final class LongLongMap {

    public static final long SMALLEST_VALUE = LongBucket.SMALLEST_VALUE;
    public static final long LARGEST_VALUE = LongBucket.LARGEST_VALUE;

    /** The largest amount of one addition, up or down. */
    public static final long LARGEST_DELTA = LongBucket.LARGEST_DELTA;

    /** A value that no key can have: it tells absence from presence. */
    static final long NO_VALUE = Long.MIN_VALUE;

    /** Takes an entry. */
    @FunctionalInterface
    public interface Visitor extends LongVisitor {}

    private final String name;
    private final Handle<LongTable> handle;

    LongLongMap(String name, Handle<LongTable> handle) {
        this.name = name;
        this.handle = handle;
    }

    /** Returns this map for asynchronous operations. Cost: none. */
    public AsyncLongLongMap async(Completions completions) {
        return new AsyncLongLongMap(this, completions);
    }

    /** Begins to open the map of this name. */
    public static Builder builder(String name, Supplier<Participant> participant, EpochManager epochs) {
        return new Builder(name, participant, epochs);
    }

    /** Returns the bytes that a map of this fixed capacity takes in the segment of each of {@code ranks} ranks. */
    public static long bytesPerRank(int ranks, long capacity) {
        return Placement.forCapacity(ranks, capacity).buckets() * LongBucket.SIZE;
    }

    /**
     * Returns the figures that a map shows to monitoring.
     *
     * @param seeds of keys' hashes, as far as a rank knows them
     */
    public static StructureStats figures(IntFunction<OptionalLong> seeds) {
        return new LongFigures(seeds);
    }

    public String name() {
        return name;
    }

    /** Returns the table for one operation, which is counted, and checked against what callers have promised. */
    LongTable table(MapPromises use) {
        LongTable table = handle.use();
        table.enter(use);
        return table;
    }

    /**
     * Returns the present number of buckets over all ranks. It is the capacity asked for, plus buckets that keep
     * probing short, plus buckets that were added by growing. It is less where a rank had no room at first. Cost: none
     * if the capacity is fixed; else R for each rank.
     */
    public long buckets() {
        return handle.opened().buckets();
    }

    /** Returns the rank in whose segment the key belongs. Cost: none. */
    public int owner(long key) {
        return handle.opened().ownerOf(key);
    }

    /** Returns the key's value, or {@code defaultValue} if it has none. Cost: R. */
    public long getOrDefault(long key, long defaultValue) {
        return table(MapPromises.FIND).find(key, defaultValue);
    }

    /**
     * As {@link #getOrDefault(long, long)}, for callers that keep a promise. {@link Promise#onlyReads} saves nothing
     * here, because every get is one read anyway. Cost: R; no verb on any fabric under {@link Promise#local}.
     *
     * @throws IllegalStateException if the promise is local and the key belongs to another rank
     */
    public long getOrDefault(long key, long defaultValue, Promise.Reading promise) {
        return table(MapPromises.find(promise)).find(key, defaultValue, promise);
    }

    /** Returns true if the key has a value. Cost: R. */
    public boolean containsKey(long key) {
        return table(MapPromises.FIND).find(key, NO_VALUE) != NO_VALUE;
    }

    /**
     * Returns the values of these keys, in the order of the keys; {@code defaultValue} stands for a key that has none.
     * Each value is the one the key had at some moment during the call. Cost: R for each key, in one round trip for 512
     * keys, whatever ranks they belong to. Another one follows if keys lie behind those that were read. The fewer keys
     * there are, the further it reads for each, so hardly any of 16 keys lies behind.
     *
     * @throws io.atoll.failure.RankUnreachableException if an {@link #owner} cannot be reached. It names the rank, and
     * its suppressed exceptions name the other owners that cannot be reached. All other owners have answered
     */
    public long[] getAll(long[] keys, long defaultValue) {
        LongTable table = handle.use(keys.length);
        table.enter(MapPromises.FIND);
        long[] values = table.words(keys);
        for (int index = 0; index < values.length; index++) {
            values[index] = LongBucket.isPresent(values[index]) ? LongBucket.value(values[index]) : defaultValue;
        }
        return values;
    }

    /**
     * Gives the key a value if it has none. Returns true if it had none. Cost: A + W for a key that was never in the
     * map, A + R for a key that has a value.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean putIfAbsent(long key, long value) {
        checkValue(value);
        return table(MapPromises.INSERT).insert(key, value);
    }

    /**
     * As {@link #putIfAbsent(long, long)}, for callers that keep a promise. {@link Promise#onlyInserts} saves nothing.
     * The atomic is still needed to tell two threads apart that want one bucket. The thread that inserts the next key
     * looks at the bucket as a finder does.
     *
     * <p>Cost: that of {@link #putIfAbsent(long, long)}. Under {@link Promise#local} no verb on any fabric, but one key
     * in 64 is counted if the map grows.
     *
     * @throws IllegalStateException if the promise is local and the key belongs to another rank
     */
    public boolean putIfAbsent(long key, long value, Promise.Inserting promise) {
        checkValue(value);
        return table(MapPromises.insert(promise)).insert(key, value, promise);
    }

    /**
     * Gives the key this value. Returns true if it had none. Cost: R + A; W more for a key that was never in the map.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public boolean put(long key, long value) {
        checkValue(value);
        return !LongBucket.isPresent(table(MapPromises.CHANGE).put(key, value));
    }

    /**
     * As {@link #put}, but returns the value that the key had, or {@code defaultValue} if it had none.
     *
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public long getAndPut(long key, long value, long defaultValue) {
        checkValue(value);
        long former = table(MapPromises.CHANGE).put(key, value);
        return LongBucket.isPresent(former) ? LongBucket.value(former) : defaultValue;
    }

    /**
     * Gives all these keys their values, each at some moment during the call. A key that is there more than once gets
     * one of its values. Keys of other ranks are put together, whatever ranks they belong to. Cost: that of
     * {@link #put} for each key. Over TCP it is two to four round trips for 256 keys, and most often one for up to 21.
     * Elsewhere it is three round trips for 64 keys, and one more for each 64 keys that follow.
     *
     * <p>If an {@link #owner} cannot be reached, all keys of other owners get their values, and then it fails. If it
     * fails otherwise, some of the keys have got theirs.
     *
     * @param values as many as keys, in their order
     * @throws io.atoll.failure.RankUnreachableException if an owner cannot be reached. It names the rank, and its
     * suppressed exceptions name the other owners that cannot be reached. Some of their keys may have got their values
     * @throws io.atoll.failure.TableFullException when the block of a rank that owns one of the keys is full
     */
    public void putAll(long[] keys, long[] values) {
        if (keys.length != values.length) {
            throw new IllegalArgumentException(
                    "each key has a value: keys=" + keys.length + " values=" + values.length);
        }
        for (long value : values) {
            checkValue(value);
        }
        if (keys.length > 0) {
            LongTable table = handle.use(keys.length);
            table.enter(MapPromises.CHANGE);
            table.putAll(keys, values);
        }
    }

    /**
     * Adds to the key's value, which counts as 0 if it has none. Returns the sum. Cost: R + A; W more for a key that
     * was never in the map.
     *
     * @param delta at most {@link #LARGEST_DELTA}, up or down
     * @throws ArithmeticException when the sum would leave the range of values; then nothing was added. Additions at
     * the same time do not see each other, so together they may carry a value beyond the range. It is exact there, too
     * @throws io.atoll.failure.TableFullException when the block of the rank that owns the key is full
     */
    public long addAndGet(long key, long delta) {
        checkDelta(delta);
        return table(MapPromises.CHANGE).increment(key, delta);
    }

    static void checkDelta(long delta) {
        if (delta > LARGEST_DELTA || delta < -LARGEST_DELTA) {
            throw new IllegalArgumentException("an addition is between -2^47 and 2^47: delta=" + delta);
        }
    }

    /**
     * Gives the key this value if it has the expected one. Returns true if it had. Cost: R + A; R if it had another
     * value or none.
     */
    public boolean replace(long key, long expected, long value) {
        checkValue(expected);
        checkValue(value);
        return table(MapPromises.CHANGE).compareAndSet(key, expected, value);
    }

    /**
     * Removes the key. Returns the value that it had, or {@code defaultValue} if it had none. Its bucket remains the
     * key's. Cost: R + A; R if it had none.
     */
    public long getAndRemove(long key, long defaultValue) {
        return table(MapPromises.CHANGE).remove(key, defaultValue);
    }

    /**
     * Removes all keys, one after the other. Keys that are inserted meanwhile may stay. Cost: that of {@link
     * #forEach(Visitor)}, and that of {@link #getAndRemove} for each key.
     */
    public void clear() {
        forEach((key, value) -> getAndRemove(key, 0));
    }

    /**
     * Visits the entries that lie in this rank's segment, each key at most once. It may or may not see what changes
     * meanwhile. Cost: no verb if this rank's own memory may be read directly.
     */
    public void forEachLocal(Visitor visitor) {
        LongTable table = table(MapPromises.FIND);
        table.forEach(table.endpoint.rank(), visitor);
    }

    /** As {@link #forEachLocal}, for all ranks, one after the other. Cost: R for each 2,048 buckets. */
    public void forEach(Visitor visitor) {
        LongTable table = table(MapPromises.FIND);
        for (int rank = 0; rank < table.blocks.ranks(); rank++) {
            table.forEach(rank, visitor);
        }
    }

    /**
     * Visits some entries from a place on, each key at most once, rank by rank. It visits about as many as are wanted.
     * It visits fewer where the map is sparse, since what it reads is bounded. It may or may not see what changes
     * meanwhile. If a read behind the first one fails, this ends with what was visited, and the next call fails.
     *
     * <p>Cost: the first R reads {@value Stretch#FIRST_BUCKETS} buckets. Each further R reads as many buckets as hold
     * the missing entries if these buckets are as full as the first ones. In all it reads about {@value
     * Stretch#MOST_BUCKETS} buckets by {@value Stretch#MOST_READS} R at most.
     *
     * @return where to go on; empty at the end of the map
     * @throws io.atoll.failure.FabricException if the first entries, which the rank of {@code from} has, cannot be read
     */
    public Optional<MapPlace> forEach(MapPlace from, int wanted, Visitor visitor) {
        LongTable table = table(MapPromises.FIND);
        Stretch stretch = new Stretch(wanted);
        return from.read(table.blocks.ranks(), stretch,
                (rank, home) -> table.forEach(rank, home, stretch, visitor));
    }

    /**
     * Returns the number of keys that have a value. It is exact while no thread changes the map. Cost: that of {@link
     * #forEach(Visitor)}.
     */
    public long size() {
        long[] count = new long[1];
        forEach((key, value) -> count[0]++);
        return count[0];
    }

    /**
     * Returns about how many keys have a value. One key in 64 is counted, or more in a small map. So the result is
     * exact only by chance. Cost: R for each rank, 2 R while the map grows. If the capacity is fixed nothing is
     * counted, and this is {@link #size} at its cost.
     */
    public long sizeEstimate() {
        return handle.opened().blocks.estimate().orElseGet(this::size);
    }

    static void checkValue(long value) {
        if (value < SMALLEST_VALUE || value > LARGEST_VALUE) {
            throw new IllegalArgumentException("values are between -2^61 and 2^61 - 1: value=" + value);
        }
    }

    @Override
    public String toString() {
        return "LongLongMap[" + name + "]";
    }

    /** The settings that a map is opened with. Every rank that opens it must give the same ones. */
    public static final class Builder extends MapBuilder<LongLongMap, Builder> {

        private Builder(String name, Supplier<Participant> participant, EpochManager epochs) {
            super(name, participant, epochs, LongLongMap.class);
        }

        @Override
        public LongLongMap openLazily() {
            String name = name();
            return new LongLongMap(name,
                    handle("long-map", LongBucket.SIZE, false,
                            (self, blocks, watch) -> new LongTable(name, self, blocks, watch)));
        }

        @Override
        protected Handle<?> handle(LongLongMap map) {
            return map.handle;
        }
    }
}
