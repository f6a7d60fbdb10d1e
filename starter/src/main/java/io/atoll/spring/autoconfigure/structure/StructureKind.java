package io.atoll.spring.autoconfigure.structure;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.spring.autoconfigure.structure.StructureProperties.ArraySettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.DistributedArraySettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.FilterSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LinkedSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LockTableSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LongArraySettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LongFilterSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LongMapSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.LongQueueSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.MapSettings;
import io.atoll.spring.autoconfigure.structure.StructureProperties.QueueSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kind of structure that properties can name.
 *
 * @param property the prefix of the structures of this kind; the name of a structure follows
 * @param settings returns the settings of these structures by name
 * @param type the type of the beans
 * @param typeArguments the type arguments of a bean's type, in order
 * @param factoryMethod the method of {@link StructureFactory} that creates a structure by its name
 * @param <S> the settings of one structure
 */
record StructureKind<S>(String property, Function<StructureProperties, Map<String, S>> settings, Class<?> type,
        List<TypeArgument<S>> typeArguments, String factoryMethod) {

    /**
     * A property that names a type.
     *
     * @param property the last part of the property's name
     */
    record TypeArgument<S>(String property, Function<S, @Nullable String> typeName) {}

    static final StructureKind<MapSettings> MAP = new StructureKind<>("atoll.maps", StructureProperties::maps,
            DistributedMap.class,
            List.of(new TypeArgument<>("key-type", MapSettings::keyType),
                    new TypeArgument<>("value-type", MapSettings::valueType)),
            "map");

    static final StructureKind<LongMapSettings> LONG_MAP = new StructureKind<>("atoll.long-maps",
            StructureProperties::longMaps, LongLongMap.class, List.of(), "longMap");

    static final StructureKind<FilterSettings> FILTER = new StructureKind<>("atoll.filters",
            StructureProperties::filters, BloomFilter.class,
            List.of(new TypeArgument<>("type", FilterSettings::type)), "filter");

    static final StructureKind<LongFilterSettings> LONG_FILTER = new StructureKind<>("atoll.long-filters",
            StructureProperties::longFilters, LongBloomFilter.class, List.of(), "longFilter");

    static final StructureKind<LinkedSettings> STACK = new StructureKind<>("atoll.stacks", StructureProperties::stacks,
            LinkedStack.class, List.of(new TypeArgument<>("type", LinkedSettings::type)), "stack");

    static final StructureKind<LinkedSettings> LINKED_QUEUE = new StructureKind<>("atoll.linked-queues",
            StructureProperties::linkedQueues, LinkedQueue.class,
            List.of(new TypeArgument<>("type", LinkedSettings::type)), "linkedQueue");

    static final StructureKind<QueueSettings> QUEUE = new StructureKind<>("atoll.queues", StructureProperties::queues,
            CircularQueue.class, List.of(new TypeArgument<>("type", QueueSettings::type)), "queue");

    static final StructureKind<LongQueueSettings> LONG_QUEUE = new StructureKind<>("atoll.long-queues",
            StructureProperties::longQueues, LongCircularQueue.class, List.of(), "longQueue");

    static final StructureKind<QueueSettings> FAST_QUEUE = new StructureKind<>("atoll.fast-queues",
            StructureProperties::fastQueues, FastQueue.class,
            List.of(new TypeArgument<>("type", QueueSettings::type)), "fastQueue");

    static final StructureKind<ArraySettings> ARRAY = new StructureKind<>("atoll.arrays", StructureProperties::arrays,
            Array.class, List.of(new TypeArgument<>("type", ArraySettings::type)), "array");

    static final StructureKind<DistributedArraySettings> DISTRIBUTED_ARRAY = new StructureKind<>(
            "atoll.distributed-arrays", StructureProperties::distributedArrays, DistributedArray.class,
            List.of(new TypeArgument<>("type", DistributedArraySettings::type)), "distributedArray");

    static final StructureKind<LongArraySettings> LONG_ARRAY = new StructureKind<>("atoll.long-arrays",
            StructureProperties::longArrays, LongArray.class, List.of(), "longArray");

    static final StructureKind<LockTableSettings> LOCK_TABLE = new StructureKind<>("atoll.lock-tables",
            StructureProperties::lockTables, LockTable.class, List.of(), "lockTable");

    static final List<StructureKind<?>> ALL = List.of(MAP, LONG_MAP, FILTER, LONG_FILTER, STACK, LINKED_QUEUE, QUEUE,
            LONG_QUEUE, FAST_QUEUE, ARRAY, DISTRIBUTED_ARRAY, LONG_ARRAY, LOCK_TABLE);

    /** Returns the prefix of the properties of the structure of that name. */
    String property(String name) {
        return property + "." + name;
    }

    Iterable<String> names(StructureProperties properties) {
        return settings.apply(properties).keySet();
    }

    S settings(StructureProperties properties, String name) {
        S found = settings.apply(properties).get(name);
        if (found == null) {
            throw new IllegalStateException("the property is gone that this bean was made for: property="
                    + property(name));
        }
        return found;
    }

    /** Returns the type arguments of the bean of that name. */
    Class<?>[] typeArguments(StructureProperties properties, String name, @Nullable ClassLoader classLoader) {
        S settings = settings(properties, name);
        return typeArguments.stream()
                .map(argument -> TypeNames.resolve(property(name) + "." + argument.property,
                        argument.typeName.apply(settings), classLoader))
                .toArray(Class<?>[]::new);
    }
}
