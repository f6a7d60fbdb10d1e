package io.atoll.map;

import io.atoll.promise.Promise;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a table. If an operation promises that only this thread uses this rank's entries, the entries
 * {@linkplain #alone for that thread} carry it out.
 */
abstract class TableEntries<K, V> implements Entries<K, V> {

    protected final BucketTable table;

    protected TableEntries(BucketTable table) {
        this.table = table;
    }

    @Override
    public final BucketTable table() {
        return table;
    }

    @Override
    public abstract TableEntries<K, V> alone();

    /** @throws IllegalStateException if the key is another rank's */
    private TableEntries<K, V> alone(K key) {
        table.checkOwn(owner(key));
        return alone();
    }

    @Override
    public final @Nullable V find(K key, Promise.Finding promise) {
        return promise == Promise.local() ? alone(key).found(key, promise) : found(key, promise);
    }

    /** As {@link #find}, by these entries, whatever is promised. */
    protected abstract @Nullable V found(K key, Promise.Finding promise);

    @Override
    public final boolean insert(K key, V value, Promise.Inserting promise) {
        return promise == Promise.local() ? alone(key).insert(key, value) : insert(key, value);
    }

    @Override
    public abstract BucketIterator<Map.Entry<K, V>> iterator(int owner);

    @Override
    public final long forEach(int owner, long from, Stretch stretch, Consumer<Map.Entry<K, V>> visitor) {
        return iterator(owner).forEach(from, stretch, visitor);
    }

    /** As {@link #insert(Object, Object, Promise.Inserting)}, by these entries. */
    protected abstract boolean insert(K key, V value);
}
