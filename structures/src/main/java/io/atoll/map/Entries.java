package io.atoll.map;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Keys and values of a {@link DistributedMap} as they stand in the buckets of a {@link BucketTable}. The costs are the map's. */
interface Entries<K, V> {

    BucketTable table();

    @Nullable V find(K key, Promise promise);

    boolean contains(K key);

    /** True if the key had no value; else the edit decides. */
    boolean insert(K key, V value, Edit<V> otherwise);

    /** True if the key had no value and something was to become of that. */
    boolean change(K key, Edit<V> edit);

    /** Visits what lies in that rank's segment. */
    void forEach(int owner, BiConsumer<? super K, ? super V> visitor);

    /** How many lie in that rank's segment. */
    long count(int owner);

    /** Whether none lies there. */
    boolean isEmpty(int owner);
}
