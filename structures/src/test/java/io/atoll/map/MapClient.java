package io.atoll.map;

import java.util.Objects;

/** A map as a process of a history uses it. */
interface MapClient {

    long perform(MapOperation operation);

    /** Visits the entries, keys and values as operations name them. */
    void forEach(LongLongMap.Visitor visitor);

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
                };
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
                    case FIND -> Objects.requireNonNullElse(map.find(key), MapOperation.NONE);
                    case INSERT -> map.insert(key, operation.argument()) ? 1 : 0;
                    case PUT -> map.put(key, operation.argument()) ? 1 : 0;
                    case REMOVE -> Objects.requireNonNullElse(map.remove(key), MapOperation.NONE);
                    case INCREMENT -> map.merge(key, operation.argument(), Long::sum);
                };
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                map.forEach(visitor::visit);
            }
        };
    }
}
