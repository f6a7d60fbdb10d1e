package io.atoll.map;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** Operations on many entries. The costs are the map's. */
record EntriesOfAllRanks<K, V>(Entries<K, V> entries) {

    private int ranks() {
        return entries.table.ranks();
    }

    /** Returns those of these keys that have values, with each value as it was at some moment. */
    public Map<K, V> find(Collection<? extends K> keys) {
        Map<K, V> found = HashMap.newHashMap(keys.size());
        entries.find(keys instanceof Set ? new ArrayList<>(keys) : keys.stream().<K>map(key -> key).distinct().toList(),
                found::put);
        return found;
    }

    /** Stores the values, each at some moment. */
    public void put(Map<? extends K, ? extends V> values) {
        List<Map.Entry<K, V>> several = new ArrayList<>(values.size());
        // All of them are looked at before the first one is stored.
        values.forEach((key, value) -> several
                .add(Map.entry(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"))));
        entries.put(several);
    }

    /**
     * Iterates over all entries, each key at most once. It may or may not see what changes meanwhile. A caller that is
     * handed an entry may use the map.
     */
    public Iterator<Map.Entry<K, V>> iterator() {
        return ofAll(entries::iterator);
    }

    /** As {@link #iterator}, but does not look at the values. */
    public Iterator<K> keys() {
        return ofAll(entries::keys);
    }

    private <E> Iterator<E> ofAll(IntFunction<Iterator<E>> ofRank) {
        return IntStream.range(0, ranks())
                .boxed()
                .flatMap(rank -> {
                    entries.table.enter(MapPromises.FIND); // the caller may have passed a barrier since the last rank
                    return StreamSupport.stream(
                            Spliterators.spliteratorUnknownSize(ofRank.apply(rank), Spliterator.NONNULL), false);
                })
                .iterator();
    }

    /** As {@link #iterator}. */
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        for (int rank = 0; rank < ranks(); rank++) {
            forEach(rank, visitor);
        }
    }

    /** As {@link #iterator}, for one rank. */
    public void forEach(int rank, BiConsumer<? super K, ? super V> visitor) {
        entries.iterator(rank).forEachRemaining(entry -> visitor.accept(entry.getKey(), entry.getValue()));
    }

    /** Returns the number of entries. It is exact while no rank changes the map. */
    public long count() {
        return IntStream.range(0, ranks()).mapToLong(entries::count).sum();
    }

    public boolean isEmpty() {
        return IntStream.range(0, ranks()).allMatch(entries::isEmpty);
    }
}
