package io.atoll.map;

import io.atoll.promise.Promise;
import io.atoll.promise.PromiseWatch;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a map that watches over the promises of its users.
 *
 * @param sent the use that an insertion from a message counts as
 */
record WatchedEntries<K, V>(Entries<K, V> entries, PromiseWatch watch, MapUse sent) implements Entries<K, V> {

    @Override
    public BucketTable table() {
        return entries.table();
    }

    @Override
    public @Nullable V find(K key, Promise.Finding promise) {
        watch.enter(MapUse.find(promise));
        return entries.find(key, promise);
    }

    @Override
    public boolean contains(K key) {
        watch.enter(MapUse.FIND);
        return entries.contains(key);
    }

    @Override
    public void find(int owner, List<K> keys, BiConsumer<? super K, ? super V> found) {
        watch.enter(MapUse.FIND);
        entries.find(owner, keys, found);
    }

    @Override
    public void put(int owner, List<? extends Map.Entry<K, V>> several) {
        watch.enter(MapUse.CHANGE);
        entries.put(owner, several);
    }

    @Override
    public int owner(K key) {
        return entries.owner(key);
    }

    @Override
    public boolean insert(K key, V value, Promise.Inserting promise) {
        watch.enter(MapUse.insert(promise));
        return entries.insert(key, value, promise);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        watch.enter(MapUse.INSERT);
        return entries.putIfAbsent(key, value);
    }

    @Override
    public Entries<K, V> alone() {
        return new WatchedEntries<>(entries.alone(), watch, MapUse.LOCAL);
    }

    @Override
    public long bytesInMessage() {
        return entries.bytesInMessage();
    }

    @Override
    public boolean append(K key, V value, Message message) {
        return entries.append(key, value, message);
    }

    @Override
    public long insert(MemorySegment message, long position) {
        watch.enter(sent);
        return entries.insert(message, position);
    }

    @Override
    public long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor) {
        return entries.decode(message, position, visitor);
    }

    @Override
    public boolean change(K key, Edit<V> edit) {
        watch.enter(MapUse.CHANGE);
        return entries.change(key, edit);
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator(int owner) {
        watch.enter(MapUse.FIND);
        return entries.iterator(owner);
    }

    @Override
    public long forEach(int owner, long from, Stretch stretch, Consumer<Map.Entry<K, V>> visitor) {
        watch.enter(MapUse.FIND);
        return entries.forEach(owner, from, stretch, visitor);
    }

    @Override
    public Iterator<K> keys(int owner) {
        watch.enter(MapUse.FIND);
        return entries.keys(owner);
    }

    @Override
    public long count(int owner) {
        watch.enter(MapUse.FIND);
        return entries.count(owner);
    }

    @Override
    public boolean isEmpty(int owner) {
        watch.enter(MapUse.FIND);
        return entries.isEmpty(owner);
    }
}
