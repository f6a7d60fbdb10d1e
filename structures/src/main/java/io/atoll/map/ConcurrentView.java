package io.atoll.map;

import io.atoll.failure.CodecException;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DistributedMap} as a {@link ConcurrentMap}: see {@link DistributedMap#asConcurrentMap()}. A caller that asks
 * with a key of another type gets a ClassCastException.
 */
final class ConcurrentView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {

    private final DistributedMap<K, V> map;

    ConcurrentView(DistributedMap<K, V> map) {
        this.map = map;
    }

    @SuppressWarnings("unchecked") // the map's codec refuses another type
    private static <T> T cast(@Nullable Object keyOrValue, String what) {
        return (T) Objects.requireNonNull(keyOrValue, what);
    }

    private static <T extends @Nullable Object> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (CodecException failure) {
            throw failure.getCause() instanceof ClassCastException otherType ? otherType : failure;
        }
    }

    // --- entries, one at a time ---

    @Override
    public @Nullable V get(@Nullable Object key) {
        return asked(() -> map.get(cast(key, "key")));
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return asked(() -> map.containsKey(cast(key, "key")));
    }

    @Override
    public boolean containsValue(@Nullable Object value) {
        return super.containsValue(Objects.requireNonNull(value, "value"));
    }

    @Override
    public @Nullable V put(K key, V value) {
        return map.getAndPut(key, value);
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> values) {
        map.putAll(values);
    }

    @Override
    public @Nullable V remove(@Nullable Object key) {
        return asked(() -> map.getAndRemove(ConcurrentView.<K>cast(key, "key")));
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        return map.getAndPutIfAbsent(key, value);
    }

    @Override
    public boolean remove(@Nullable Object key, @Nullable Object value) {
        K present = cast(key, "key");
        return value != null && asked(() -> map.remove(present, ConcurrentView.<V>cast(value, "value")));
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        return map.replace(key, expected, value);
    }

    @Override
    public @Nullable V replace(K key, V value) {
        return map.getAndReplace(key, value);
    }

    @Override
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        return map.compute(key, function);
    }

    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        return map.computeIfAbsent(key, function);
    }

    @Override
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        return map.computeIfPresent(key, function);
    }

    @Override
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> combine) {
        return map.merge(key, value, combine);
    }

    // --- all of them ---

    @Override
    public int size() {
        return (int) Math.min(map.size(), Integer.MAX_VALUE);
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        map.forEach(visitor);
    }

    @Override
    public Set<K> keySet() {
        return new AbstractSet<>() {

            @Override
            public Iterator<K> iterator() {
                return new PartIterator<>(Map.Entry::getKey);
            }

            @Override
            public int size() {
                return ConcurrentView.this.size();
            }

            @Override
            public boolean isEmpty() {
                return ConcurrentView.this.isEmpty();
            }

            @Override
            public boolean contains(@Nullable Object key) {
                return containsKey(key);
            }

            @Override
            public boolean remove(@Nullable Object key) {
                return ConcurrentView.this.remove(key) != null;
            }

            @Override
            public void clear() {
                ConcurrentView.this.clear();
            }
        };
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new AbstractSet<>() {

            @Override
            public Iterator<Map.Entry<K, V>> iterator() {
                return new EntryIterator();
            }

            @Override
            public int size() {
                return ConcurrentView.this.size();
            }

            @Override
            public boolean isEmpty() {
                return ConcurrentView.this.isEmpty();
            }

            @Override
            public boolean contains(@Nullable Object entry) {
                if (!(entry instanceof Map.Entry<?, ?> wanted) || wanted.getKey() == null) {
                    return false;
                }
                V value = get(wanted.getKey());
                return value != null && value.equals(wanted.getValue());
            }

            @Override
            public boolean removeIf(Predicate<? super Map.Entry<K, V>> unwanted) {
                return removeEntries(Objects.requireNonNull(unwanted));
            }

            @Override
            public boolean removeAll(Collection<?> unwanted) {
                return removeEntries(Objects.requireNonNull(unwanted)::contains);
            }

            @Override
            public boolean retainAll(Collection<?> wanted) {
                Objects.requireNonNull(wanted);
                return removeEntries(entry -> !wanted.contains(entry));
            }

            @Override
            public boolean remove(@Nullable Object entry) {
                return entry instanceof Map.Entry<?, ?> unwanted && unwanted.getKey() != null
                        && ConcurrentView.this.remove(unwanted.getKey(), unwanted.getValue());
            }

            @Override
            public void clear() {
                ConcurrentView.this.clear();
            }
        };
    }

    @Override
    public Collection<V> values() {
        return new AbstractCollection<>() {

            @Override
            public Iterator<V> iterator() {
                return new PartIterator<>(Map.Entry::getValue);
            }

            @Override
            public int size() {
                return ConcurrentView.this.size();
            }

            @Override
            public boolean isEmpty() {
                return ConcurrentView.this.isEmpty();
            }

            @Override
            public boolean contains(@Nullable Object value) {
                return containsValue(value);
            }

            @Override
            public boolean removeIf(Predicate<? super V> unwanted) {
                Objects.requireNonNull(unwanted);
                return removeEntries(entry -> unwanted.test(entry.getValue()));
            }

            @Override
            public boolean removeAll(Collection<?> unwanted) {
                return removeIf(Objects.requireNonNull(unwanted)::contains);
            }

            @Override
            public boolean retainAll(Collection<?> wanted) {
                Objects.requireNonNull(wanted);
                return removeIf(value -> !wanted.contains(value));
            }

            @Override
            public boolean remove(@Nullable Object value) {
                Iterator<Map.Entry<K, V>> entries = map.all().iterator();
                boolean removed = false;
                while (!removed && entries.hasNext()) {
                    Map.Entry<K, V> entry = entries.next();
                    removed = entry.getValue().equals(value) && map.remove(entry.getKey(), entry.getValue());
                }
                return removed;
            }

            @Override
            public void clear() {
                ConcurrentView.this.clear();
            }
        };
    }

    /**
     * Removes the unwanted entries that are still what they were when the predicate was asked. The predicate was not
     * asked about what another thread has put there since, so that stays.
     */
    private boolean removeEntries(Predicate<? super Map.Entry<K, V>> unwanted) {
        boolean removed = false;
        Iterator<Map.Entry<K, V>> entries = map.all().iterator();
        while (entries.hasNext()) {
            Map.Entry<K, V> entry = entries.next();
            removed |= unwanted.test(entry) && map.remove(entry.getKey(), entry.getValue());
        }
        return removed;
    }

    /** Iterates over keys or values, in the order of their entries. */
    private final class PartIterator<T> implements Iterator<T> {

        private final Iterator<Map.Entry<K, V>> entries = new EntryIterator();
        private final Function<Map.Entry<K, V>, T> part;

        private PartIterator(Function<Map.Entry<K, V>, T> part) {
            this.part = part;
        }

        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public T next() {
            return part.apply(entries.next());
        }

        @Override
        public void remove() {
            entries.remove();
        }
    }

    private final class EntryIterator implements Iterator<Map.Entry<K, V>> {

        private final Iterator<Map.Entry<K, V>> entries = map.all().iterator();
        private @Nullable K last;

        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public Map.Entry<K, V> next() {
            Map.Entry<K, V> next = entries.next();
            last = next.getKey();
            return new WritingEntry(next.getKey(), next.getValue());
        }

        @Override
        public void remove() {
            if (last == null) {
                throw new IllegalStateException("nothing to remove: last=" + last);
            }
            map.getAndRemove(last);
            last = null;
        }
    }

    /** An entry as it was when it was read. {@code setValue} puts the value into the map. */
    private final class WritingEntry extends SimpleEntry<K, V> {

        private static final long serialVersionUID = 1L;

        private WritingEntry(K key, V value) {
            super(key, value);
        }

        @Override
        public V setValue(V value) {
            map.put(getKey(), value);
            return super.setValue(value);
        }
    }
}
