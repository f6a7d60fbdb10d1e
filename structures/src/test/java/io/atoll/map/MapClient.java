package io.atoll.map;

import io.atoll.world.Handle;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A map as a process of a history uses it. */
public interface MapClient {

    long perform(MapOperation operation);

    /** Returns true if it performs operations on several keys at once. */
    default boolean isForMany() {
        return false;
    }

    /** Performs operations of one kind. */
    default List<Long> performAll(List<MapOperation> operations) {
        return operations.stream().map(this::perform).toList();
    }

    /** Visits the entries, with keys and values as operations name them. */
    void forEach(LongLongMap.Visitor visitor);

    static MapClient of(LongTable table) {
        return of(new LongLongMap("map", new Handle<>(() -> table)));
    }

    static MapClient of(Entries<Long, Long> entries) {
        return of(new DistributedMap<>("map", new Handle<>(() -> entries)));
    }

    static MapClient of(LongLongMap map) {
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                long key = operation.key();
                return switch (operation.kind()) {
                    case FIND -> map.find(key, MapOperation.NONE);
                    case INSERT -> map.insert(key, operation.argument()) ? 1 : 0;
                    case PUT -> map.put(key, operation.argument()) ? 1 : 0;
                    case REMOVE -> map.remove(key, MapOperation.NONE);
                    case INCREMENT -> map.increment(key, operation.argument());
                    case COMPARE_AND_SET -> map.compareAndSet(key, operation.expected(), operation.argument()) ? 1 : 0;
                    default -> throw new IllegalArgumentException("not of this map: operation=" + operation);
                };
            }

            @Override
            public boolean isForMany() {
                return true;
            }

            @Override
            public List<Long> performAll(List<MapOperation> operations) {
                long[] keys = operations.stream().mapToLong(MapOperation::key).toArray();
                return LongStream.of(map.getAll(keys, MapOperation.NONE)).boxed().toList();
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                map.forEach(visitor);
            }
        };
    }

    static MapClient of(DistributedMap<Long, Long> map) {
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                Long key = operation.key();
                return switch (operation.kind()) {
                    case FIND -> orNone(map.find(key));
                    case INSERT -> map.insert(key, operation.argument()) ? 1 : 0;
                    case PUT -> map.put(key, operation.argument()) ? 1 : 0;
                    case REMOVE -> orNone(map.remove(key));
                    case INCREMENT -> orNone(map.merge(key, operation.argument(), Long::sum));
                    case PUT_IF_ABSENT -> orNone(map.putIfAbsent(key, operation.argument()));
                    case REPLACE -> orNone(map.replace(key, operation.argument()));
                    case COMPUTE -> orNone(map.compute(key, (any, present) -> computed(operation, present)));
                    case COMPUTE_IF_ABSENT -> orNone(map.computeIfAbsent(key, any -> computed(operation, null)));
                    case COMPARE_AND_SET ->
                        map.replace(key, operation.expected(), operation.argument()) ? 1 : 0;
                    case STORE -> performAll(List.of(operation)).getFirst();
                };
            }

            @Override
            public boolean isForMany() {
                return true;
            }

            @Override
            public List<Long> performAll(List<MapOperation> operations) {
                if (operations.getFirst().kind() == MapOperation.Kind.STORE) {
                    map.putAll(operations.stream()
                            .collect(Collectors.toMap(MapOperation::key, MapOperation::argument)));
                    return operations.stream().map(done -> MapOperation.NONE).toList();
                }
                Map<Long, Long> found = map.getAll(operations.stream().map(MapOperation::key).toList());
                return operations.stream().map(find -> orNone(found.get(find.key()))).toList();
            }

            private static @Nullable Long computed(MapOperation operation, @Nullable Long present) {
                long computed = operation.computed(orNone(present));
                return computed == MapOperation.NONE ? null : computed;
            }

            private static long orNone(@Nullable Long value) {
                return Objects.requireNonNullElse(value, MapOperation.NONE);
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                map.forEach(visitor::visit);
            }
        };
    }
}
