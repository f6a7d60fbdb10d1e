package io.atoll.map;

import io.atoll.completion.Completions;
import io.atoll.map.BucketTable.Change;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys and values of a map as they are stored in the buckets of a {@link BucketTable}. The costs are those of the
 * map. If an operation promises that only this thread uses this rank's entries, the entries {@linkplain #alone for that
 * thread} carry it out.
 */
abstract class Entries<K, V> {

    final BucketTable table;

    Entries(BucketTable table) {
        this.table = table;
    }

    /** Returns the rank in whose segment the key belongs. */
    abstract int owner(K key);

    // --- finding ---

    final @Nullable V find(K key, Promise.Reading promise) {
        return promise == Promise.local() ? alone(key).findHere(key, promise) : findHere(key, promise);
    }

    /** As {@link #find}, by these entries, whatever is promised. */
    abstract @Nullable V findHere(K key, Promise.Reading promise);

    abstract boolean contains(K key);

    /**
     * Finds several keys, all different. It does not report keys that have no value.
     *
     * @throws io.atoll.failure.RankUnreachableException if an owner cannot be reached. The values of the others were
     * reported
     */
    final void find(List<K> keys, BiConsumer<? super K, ? super V> found) {
        LostOwners lost = new LostOwners();
        for (int from = 0; from < keys.size(); from += FindRounds.MOST_KEYS) {
            findTogether(keys.subList(from, Math.min(keys.size(), from + FindRounds.MOST_KEYS)), found, lost);
        }
        lost.throwIfAny();
    }

    /** Finds these keys under one pin, without those of lost owners. */
    abstract void findTogether(List<K> keys, BiConsumer<? super K, ? super V> found, LostOwners lost);

    // --- changing ---

    /** Stores the value if there is none, which is the likely case. Returns true if there was none. */
    final boolean insert(K key, V value, Promise.Inserting promise) {
        return promise == Promise.local() ? alone(key).insert(key, value) : insert(key, value);
    }

    /** As {@link #insert(Object, Object, Promise.Inserting)}, by these entries. */
    abstract boolean insert(K key, V value);

    /** As {@link #insert}, but returns the value that was there, or null. */
    abstract @Nullable V putIfAbsent(K key, V value);

    /** Makes the edit. Returns true if the key had no value and the edit does not leave it so. */
    abstract boolean change(K key, Edit<V> edit);

    /**
     * As {@link #change}, asynchronously.
     *
     * @param result is told what {@link #change} returns
     * @param whole does the whole operation
     */
    final <R> CompletionStage<R> submit(Completions completions, K key, Edit<V> edit, Function<Boolean, R> result,
            Supplier<R> whole) {
        return table.endpoint.executesAtOnce(owner(key))
                ? completions.submitted(whole)
                : submitFar(completions, key, edit, result, whole);
    }

    /** As {@link #submit}, for a key of a rank that is reached through a network. */
    abstract <R> CompletionStage<R> submitFar(Completions completions, K key, Edit<V> edit,
            Function<Boolean, R> result, Supplier<R> whole);

    /** Stores the value, whatever was there. */
    final void put(Map.Entry<K, V> entry) {
        change(entry.getKey(), Edit.put(entry.getValue()));
    }

    /**
     * Stores values of several keys, all different, each at some moment.
     *
     * @throws io.atoll.failure.RankUnreachableException if an owner cannot be reached. The values of the others are
     * stored
     */
    final void put(List<Map.Entry<K, V>> entries) {
        LostOwners lost = new LostOwners();
        List<Map.Entry<K, V>> atOnce = new ArrayList<>();
        List<Map.Entry<K, V>> left = new ArrayList<>(entries.size());
        for (Map.Entry<K, V> entry : entries) {
            (table.endpoint.executesAtOnce(owner(entry.getKey())) ? atOnce : left).add(entry);
        }
        while (!left.isEmpty()) {
            left = putTogether(left, lost);
            // One of them alone waits for another thread, or grows a block. The others may go round together then.
            if (!left.isEmpty()) {
                put(left.getFirst(), lost);
                left = left.subList(1, left.size());
            }
        }
        atOnce.forEach(entry -> put(entry, lost));
        lost.throwIfAny();
    }

    private void put(Map.Entry<K, V> entry, LostOwners lost) {
        lost.run(owner(entry.getKey()), () -> put(entry));
    }

    /** Stores these entries of other ranks together. Returns those that it has not stored, without lost owners'. */
    abstract List<Map.Entry<K, V>> putTogether(List<Map.Entry<K, V>> entries, LostOwners lost);

    // --- by one thread ---

    /** Returns these entries for the only thread that uses this rank's entries, and no others. */
    abstract Entries<K, V> alone();

    /** @throws IllegalStateException if the key is another rank's */
    private Entries<K, V> alone(K key) {
        table.checkOwn(owner(key));
        return alone();
    }

    // --- in messages ---

    /** Returns the bytes that an entry takes in a message, or is expected to take. */
    abstract long bytesInMessage();

    /** Adds an entry to a message. Returns false if the message has no room for it. */
    abstract boolean append(K key, V value, Message message);

    /** Inserts an entry of a message. Returns the position of the next one. */
    abstract long insert(MemorySegment message, long position);

    /** Hands out an entry of a message. Returns the position of the next one. */
    abstract long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor);

    // --- all of a rank ---

    /**
     * Iterates over what lies in that rank's segment, each key at most once. It reads a bounded number of buckets at a
     * time. A caller that is handed an entry may use the map.
     */
    abstract BucketIterator<Map.Entry<K, V>> iterator(int owner);

    /**
     * Hands out what {@link #iterator} returns of the stretch's next buckets, from a home on. Returns the home at which
     * to continue. Hands out nothing if it fails.
     */
    final long forEach(int owner, long from, Stretch stretch, Consumer<Map.Entry<K, V>> visitor) {
        return iterator(owner).forEach(from, stretch, visitor);
    }

    /** Iterates over the keys as {@link #iterator} does, and reads no values. */
    abstract Iterator<K> keys(int owner);

    /** Returns the number of entries in that rank's segment. */
    abstract long count(int owner);

    /** Returns true if no entry lies in that rank's segment. */
    final boolean isEmpty(int owner) {
        return table.isEmpty(owner);
    }

    /**
     * An operation's change of one entry of a map: a {@link Change} in terms of values.
     *
     * @param <V> the type of the values
     */
    abstract static class Edit<V> {

        /** A value as it is stored. It is decoded only if an edit asks for it. */
        public interface Present<V> {

            V value();

            /** Returns true if the value is stored as the other one would be. */
            boolean is(V other);
        }

        /** The value that is to be stored. It is also what the operation returns, if that is a value. */
        public @Nullable V value;

        private Edit(@Nullable V value) {
            this.value = value;
        }

        /** As {@link Change#decide}; {@link Outcome#STORE} stores {@link #value}. */
        public abstract Outcome decide(@Nullable Present<V> present);

        /** As {@link Change#unseen}. */
        public @Nullable Outcome unseen(boolean isPresent) {
            return null;
        }

        /** As {@link Change#computes}. */
        final boolean computes() {
            return unseen(true) == Outcome.COMPUTE || unseen(false) == Outcome.COMPUTE;
        }

        /** As {@link Change#wantsValue}. */
        public boolean wantsValue() {
            return false;
        }

        /** As {@link Change#compute}. */
        public Outcome compute(@Nullable Present<V> present) {
            throw new AssertionError("decided before: edit=" + this);
        }

        /** When an edit stores a value; else it leaves the entry as it is. */
        private enum When {
            ALWAYS, IF_ABSENT, IF_PRESENT;

            private boolean holds(boolean isPresent) {
                return switch (this) {
                    case ALWAYS -> true;
                    case IF_ABSENT -> !isPresent;
                    case IF_PRESENT -> isPresent;
                };
            }
        }

        /** Stores nothing, and keeps the value for the caller. */
        static <V> Get<V> get() {
            return new Get<>();
        }

        /** Stores the value, whatever is there. */
        static <V> Edit<V> put(V value) {
            return new Put<>(value, When.ALWAYS);
        }

        /** Stores the value if there is none. */
        static <V> Edit<V> insert(V value) {
            return new Put<>(value, When.IF_ABSENT);
        }

        /** As {@link #put}, and keeps the value that was there. */
        static <V> GetAndPut<V> getAndPut(V value) {
            return new GetAndPut<>(value, When.ALWAYS);
        }

        /** As {@link #insert}, and keeps the value that was there. */
        static <V> GetAndPut<V> putIfAbsent(V value) {
            return new GetAndPut<>(value, When.IF_ABSENT);
        }

        /** Stores the value if there is one, and keeps the one that was there. */
        static <V> GetAndPut<V> replace(V value) {
            return new GetAndPut<>(value, When.IF_PRESENT);
        }

        /** Stores the value if the expected one is there. */
        static <V> Exchange<V> replace(V expected, V value) {
            return new Exchange<>(expected, Objects.requireNonNull(value, "value"));
        }

        /** Removes the expected value. */
        static <V> Exchange<V> remove(V expected) {
            return new Exchange<>(expected, null);
        }

        /** Removes the value, and keeps it for the caller. */
        static <V> Remove<V> remove() {
            return new Remove<>();
        }

        /** Removes the value, and does not read it. */
        static <V> Delete<V> delete() {
            return new Delete<>();
        }

        /** Stores the value that a function makes of the present one, which is null if there is none. */
        static <V> Compute<V> compute(Function<@Nullable V, ? extends @Nullable V> function) {
            return new Compute<>(When.ALWAYS, function);
        }

        /** As {@link #compute}, if there is no value. */
        static <V> Compute<V> computeIfAbsent(Function<@Nullable V, ? extends @Nullable V> function) {
            return new Compute<>(When.IF_ABSENT, function);
        }

        /** As {@link #compute}, if there is a value. */
        static <V> Compute<V> computeIfPresent(Function<@Nullable V, ? extends @Nullable V> function) {
            return new Compute<>(When.IF_PRESENT, function);
        }

        /** Stores the value if there is none, else the value that a function makes of both. */
        static <V> Merge<V> merge(V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
            return new Merge<>(value, function);
        }

        private static class Put<V> extends Edit<V> {

            private final When when;

            private Put(V value, When when) {
                super(Objects.requireNonNull(value, "value"));
                this.when = when;
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                return unseen(present != null);
            }

            @Override
            public Outcome unseen(boolean isPresent) {
                return when.holds(isPresent) ? Outcome.STORE : Outcome.KEEP;
            }
        }

        /** Reads the value. */
        static final class Get<V> extends Edit<V> {

            private Get() {
                super(null);
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                value = present == null ? null : present.value();
                return Outcome.KEEP;
            }
        }

        /** A put that reads the value that was there. */
        static final class GetAndPut<V> extends Put<V> {

            @Nullable V former;

            private GetAndPut(V value, When when) {
                super(value, when);
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                former = present == null ? null : present.value();
                return super.decide(present);
            }

            @Override
            public boolean wantsValue() {
                return true;
            }
        }

        /** Replaces a value that is the expected one, by another or by none. */
        static final class Exchange<V> extends Edit<V> {

            private final V expected;
            boolean found;

            private Exchange(V expected, @Nullable V value) {
                super(value);
                this.expected = Objects.requireNonNull(expected, "expected");
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                found = present != null && present.is(expected);
                if (!found) {
                    return Outcome.KEEP;
                }
                return value == null ? Outcome.REMOVE : Outcome.STORE;
            }
        }

        /** Removes a value. */
        static class Delete<V> extends Edit<V> {

            boolean found;

            private Delete() {
                super(null);
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                found = present != null;
                return unseen(found);
            }

            @Override
            public Outcome unseen(boolean isPresent) {
                return isPresent ? Outcome.REMOVE : Outcome.KEEP;
            }
        }

        /** A removal that reads the value. */
        static final class Remove<V> extends Delete<V> {

            private Remove() {}

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                value = present == null ? null : present.value();
                return super.decide(present);
            }

            @Override
            public boolean wantsValue() {
                return true;
            }
        }

        /** Stores a value that is encoded already, if there is none. */
        static final class InsertEncoded<V> extends Edit<V> {

            final byte[] encoded;

            InsertEncoded(byte[] encoded) {
                super(null);
                this.encoded = encoded;
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                return present == null ? Outcome.STORE : Outcome.KEEP;
            }
        }

        /** Stores what a function makes of what is there. */
        static final class Compute<V> extends Edit<V> {

            private final When when;
            private final Function<@Nullable V, ? extends @Nullable V> function;

            private Compute(When when, Function<@Nullable V, ? extends @Nullable V> function) {
                super(null);
                this.when = when;
                this.function = Objects.requireNonNull(function, "function");
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                Outcome outcome = unseen(present != null);
                if (outcome == Outcome.KEEP) {
                    value = present == null ? null : present.value();
                }
                return outcome;
            }

            @Override
            public Outcome unseen(boolean isPresent) {
                return when.holds(isPresent) ? Outcome.COMPUTE : Outcome.KEEP;
            }

            @Override
            public boolean wantsValue() {
                return true;
            }

            @Override
            public Outcome compute(@Nullable Present<V> present) {
                value = function.apply(present == null ? null : present.value());
                if (value != null) {
                    return Outcome.STORE;
                }
                return present == null ? Outcome.KEEP : Outcome.REMOVE;
            }
        }

        /** Stores a value if there is none; else stores what a function makes of both. */
        static final class Merge<V> extends Edit<V> {

            private final V given;
            private final BiFunction<? super V, ? super V, ? extends @Nullable V> function;

            private Merge(V given, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
                super(Objects.requireNonNull(given, "value"));
                this.given = given;
                this.function = Objects.requireNonNull(function, "function");
            }

            @Override
            public Outcome decide(@Nullable Present<V> present) {
                value = given;
                return unseen(present != null);
            }

            @Override
            public Outcome unseen(boolean isPresent) {
                return isPresent ? Outcome.COMPUTE : Outcome.STORE;
            }

            @Override
            public boolean wantsValue() {
                return true;
            }

            @Override
            public Outcome compute(@Nullable Present<V> present) {
                value = function.apply(Objects.requireNonNull(present).value(), given);
                return value == null ? Outcome.REMOVE : Outcome.STORE;
            }
        }
    }
}
