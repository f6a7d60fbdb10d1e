package io.atoll.map;

import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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

    /** Finds several keys, all different. It does not report keys that have no value. */
    abstract void find(List<K> keys, BiConsumer<? super K, ? super V> found);

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

    /** Stores the value, whatever was there. */
    final void put(Map.Entry<K, V> entry) {
        change(entry.getKey(), Edit.put(entry.getValue()));
    }

    /** Stores values of several keys, all different, each at some moment. */
    final void put(List<Map.Entry<K, V>> entries) {
        Map<Boolean, List<Map.Entry<K, V>>> atOnce = entries.stream()
                .collect(Collectors.partitioningBy(each -> table.endpoint.executesAtOnce(owner(each.getKey()))));
        List<Map.Entry<K, V>> left = atOnce.get(false);
        while (!left.isEmpty()) {
            left = putTogether(left);
            // One of them alone waits for another thread, or grows a block. The others may go round together then.
            if (!left.isEmpty()) {
                put(left.getFirst());
                left = left.subList(1, left.size());
            }
        }
        atOnce.get(true).forEach(this::put);
    }

    /** Stores these entries of other ranks together. Returns those that it has not stored. */
    abstract List<Map.Entry<K, V>> putTogether(List<Map.Entry<K, V>> entries);

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
}
