package io.atoll.map;

import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys and values of a map as they are stored in the buckets of a {@link BucketTable}. The costs are those of the
 * map.
 */
interface Entries<K, V> {

    BucketTable table();

    @Nullable V find(K key, Promise.Finding promise);

    boolean contains(K key);

    /** Finds several keys of a rank, all different. It does not report keys that have no value. */
    void find(int owner, List<K> keys, BiConsumer<? super K, ? super V> found);

    /** Stores values of several keys of a rank, all different, each at some moment. */
    void put(int owner, List<? extends Map.Entry<K, V>> entries);

    /** Returns the rank in whose segment the key belongs. */
    int owner(K key);

    /** Stores the value if there is none, which is the likely case. Returns true if there was none. */
    boolean insert(K key, V value, Promise.Inserting promise);

    /** As {@link #insert}, but returns the value that was there, or null. */
    @Nullable V putIfAbsent(K key, V value);

    /** Stores the value, whatever was there. */
    default void put(Map.Entry<K, V> entry) {
        change(entry.getKey(), new Edit.Put<>(entry.getValue(), true, true, false));
    }

    // --- in bulk ---

    /** Returns these entries for the only thread that uses this rank's entries, and no others. */
    Entries<K, V> alone();

    /** Returns the bytes that an entry takes in a message, or is expected to take. */
    long bytesInMessage();

    /** Adds an entry to a message. Returns false if the message has no room for it. */
    boolean append(K key, V value, Message message);

    /** Inserts an entry of a message. Returns the position of the next one. */
    long insert(MemorySegment message, long position);

    /** Hands out an entry of a message. Returns the position of the next one. */
    long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor);

    // --- changing ---

    /** Makes the edit. Returns true if the key had no value and the edit does not leave it so. */
    boolean change(K key, Edit<V> edit);

    /**
     * Iterates over what lies in that rank's segment, each key at most once. It reads a bounded number of buckets at a
     * time. A caller that is handed an entry may use the map.
     */
    Iterator<Map.Entry<K, V>> iterator(int owner);

    /**
     * Hands out what {@link #iterator} returns of the stretch's next buckets, from a home on. Returns the home at which
     * to continue. Hands out nothing if it fails.
     */
    long forEach(int owner, long from, Stretch stretch, Consumer<Map.Entry<K, V>> visitor);

    /** Iterates over the keys as {@link #iterator} does, and reads no values. */
    Iterator<K> keys(int owner);

    /** Returns the number of entries in that rank's segment. */
    long count(int owner);

    /** Returns true if no entry lies in that rank's segment. */
    default boolean isEmpty(int owner) {
        return table().isEmpty(owner);
    }
}
