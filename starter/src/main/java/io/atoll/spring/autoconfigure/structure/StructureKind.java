package io.atoll.spring.autoconfigure.structure;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedBuilder;
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
import io.atoll.world.StructureBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kind of structure that properties can name. An entry of {@link #ALL} is all that this package knows of a kind,
 * beside its settings.
 *
 * @param property the prefix of the structures of this kind; the name of a structure follows
 * @param settings returns the settings of these structures by name
 * @param type the type of the beans
 * @param typeArguments the type arguments of a bean's type, in order
 * @param builder begins to open a structure
 * @param configuration sets in the builder what the settings say
 * @param <S> the settings of one structure
 * @param <B> the builder of one structure
 */
record StructureKind<S, B extends StructureBuilder<?, ?>>(String property,
        Function<StructureProperties, Map<String, S>> settings, Class<?> type, List<TypeArgument<S>> typeArguments,
        Function<StructureRequest<S>, B> builder, BiConsumer<B, StructureRequest<S>> configuration) {

    /**
     * A property that names a type.
     *
     * @param property the last part of the property's name
     */
    record TypeArgument<S>(String property, Function<S, @Nullable String> typeName) {}

    private static final StructureKind<MapSettings, DistributedMap.Builder<?, ?>> MAP = new StructureKind<>(
            "atoll.maps", StructureProperties::maps, DistributedMap.class,
            List.of(new TypeArgument<>("key-type", MapSettings::keyType),
                    new TypeArgument<>("value-type", MapSettings::valueType)),
            StructureKind::map, (map, asked) -> {
                MapSettings settings = asked.settings();
                (settings.fixed() ? map.fixedCapacity(settings.capacity()) : map.capacity(settings.capacity()))
                        .onLoss(settings.onLoss());
                if (asked.checkedPromises()) {
                    map.checkedPromises();
                }
            });

    private static final StructureKind<LongMapSettings, LongLongMap.Builder> LONG_MAP = new StructureKind<>(
            "atoll.long-maps", StructureProperties::longMaps, LongLongMap.class, List.of(),
            asked -> asked.world().longMap(asked.name()), (map, asked) -> {
                LongMapSettings settings = asked.settings();
                (settings.fixed() ? map.fixedCapacity(settings.capacity()) : map.capacity(settings.capacity()))
                        .onLoss(settings.onLoss());
                if (asked.checkedPromises()) {
                    map.checkedPromises();
                }
            });

    private static final StructureKind<FilterSettings, BloomFilter.Builder<?>> FILTER = new StructureKind<>(
            "atoll.filters", StructureProperties::filters, BloomFilter.class,
            List.of(new TypeArgument<>("type", FilterSettings::type)),
            asked -> asked.world().filter(asked.name(), asked.types()[0]),
            (filter, asked) -> filter.expectedElements(asked.settings().expectedElements())
                    .falsePositiveRate(asked.settings().falsePositiveRate())
                    .onLoss(asked.settings().onLoss()));

    private static final StructureKind<LongFilterSettings, LongBloomFilter.Builder> LONG_FILTER = new StructureKind<>(
            "atoll.long-filters", StructureProperties::longFilters, LongBloomFilter.class, List.of(),
            asked -> asked.world().longFilter(asked.name()),
            (filter, asked) -> filter.expectedElements(asked.settings().expectedElements())
                    .falsePositiveRate(asked.settings().falsePositiveRate())
                    .onLoss(asked.settings().onLoss()));

    private static final StructureKind<LinkedSettings, LinkedBuilder<?>> STACK = new StructureKind<>("atoll.stacks",
            StructureProperties::stacks, LinkedStack.class, List.of(new TypeArgument<>("type", LinkedSettings::type)),
            asked -> LinkedStack.builder(asked.name(), asked.elements(asked.settings().largestSize()),
                    asked.world()::participant, asked.world().epochs()),
            (stack, asked) -> stack.host(asked.host(asked.settings().host())).onLoss(asked.settings().onLoss()));

    private static final StructureKind<LinkedSettings, LinkedBuilder<?>> LINKED_QUEUE = new StructureKind<>(
            "atoll.linked-queues", StructureProperties::linkedQueues, LinkedQueue.class,
            List.of(new TypeArgument<>("type", LinkedSettings::type)),
            asked -> LinkedQueue.builder(asked.name(), asked.elements(asked.settings().largestSize()),
                    asked.world()::participant, asked.world().epochs()),
            (queue, asked) -> queue.host(asked.host(asked.settings().host())).onLoss(asked.settings().onLoss()));

    private static final StructureKind<QueueSettings, CircularQueue.Builder<?>> QUEUE = new StructureKind<>(
            "atoll.queues", StructureProperties::queues, CircularQueue.class,
            List.of(new TypeArgument<>("type", QueueSettings::type)),
            asked -> CircularQueue.builder(asked.name(), asked.elements(asked.settings().largestSize()),
                    asked.world()::participant),
            (queue, asked) -> {
                QueueSettings settings = asked.settings();
                queue.capacity(settings.capacity()).host(asked.host(settings.host())).onLoss(settings.onLoss());
                if (asked.checkedPromises()) {
                    queue.checkedPromises();
                }
            });

    private static final StructureKind<LongQueueSettings, LongCircularQueue.Builder> LONG_QUEUE = new StructureKind<>(
            "atoll.long-queues", StructureProperties::longQueues, LongCircularQueue.class, List.of(),
            asked -> asked.world().longQueue(asked.name()), (queue, asked) -> {
                LongQueueSettings settings = asked.settings();
                queue.capacity(settings.capacity()).host(asked.host(settings.host())).onLoss(settings.onLoss());
                if (asked.checkedPromises()) {
                    queue.checkedPromises();
                }
            });

    private static final StructureKind<QueueSettings, FastQueue.Builder<?>> FAST_QUEUE = new StructureKind<>(
            "atoll.fast-queues", StructureProperties::fastQueues, FastQueue.class,
            List.of(new TypeArgument<>("type", QueueSettings::type)),
            asked -> FastQueue.builder(asked.name(), asked.elements(asked.settings().largestSize()),
                    asked.world()::participant),
            (queue, asked) -> queue.capacity(asked.settings().capacity())
                    .host(asked.host(asked.settings().host()))
                    .onLoss(asked.settings().onLoss()));

    private static final StructureKind<ArraySettings, Array.Builder<?>> ARRAY = new StructureKind<>("atoll.arrays",
            StructureProperties::arrays, Array.class, List.of(new TypeArgument<>("type", ArraySettings::type)),
            asked -> Array.builder(asked.name(), asked.elements(), asked.world()::participant),
            (array, asked) -> array.length(asked.settings().length())
                    .host(asked.host(asked.settings().host()))
                    .onLoss(asked.settings().onLoss()));

    private static final StructureKind<DistributedArraySettings, DistributedArray.Builder<?>> DISTRIBUTED_ARRAY = //
            new StructureKind<>(
                    "atoll.distributed-arrays", StructureProperties::distributedArrays,
                    DistributedArray.class, List.of(new TypeArgument<>("type", DistributedArraySettings::type)),
                    asked -> DistributedArray.builder(asked.name(), asked.elements(), asked.world()::participant),
                    (array, asked) -> array.length(asked.settings().length()).onLoss(asked.settings().onLoss()));

    private static final StructureKind<LongArraySettings, LongArray.Builder> LONG_ARRAY = new StructureKind<>(
            "atoll.long-arrays", StructureProperties::longArrays, LongArray.class, List.of(),
            asked -> asked.world().longArray(asked.name()), (array, asked) -> {
                LongArraySettings settings = asked.settings();
                array.length(settings.length()).onLoss(settings.onLoss());
                if (settings.host() != null) {
                    array.host(asked.host(settings.host()));
                }
            });

    private static final StructureKind<LockTableSettings, LockTable.Builder> LOCK_TABLE = new StructureKind<>(
            "atoll.lock-tables", StructureProperties::lockTables, LockTable.class, List.of(),
            asked -> asked.world().lockTable(asked.name()),
            (table, asked) -> table.locks(asked.settings().locks())
                    .algorithm(asked.settings().algorithm())
                    .localBudget(asked.settings().localBudget())
                    .remoteBudget(asked.settings().remoteBudget())
                    .descriptors(asked.settings().descriptors()));

    static final List<StructureKind<?, ?>> ALL = List.of(MAP, LONG_MAP, FILTER, LONG_FILTER, STACK, LINKED_QUEUE, QUEUE,
            LONG_QUEUE, FAST_QUEUE, ARRAY, DISTRIBUTED_ARRAY, LONG_ARRAY, LOCK_TABLE);

    /** Maps of keys and values of fixed size take fewer verbs. */
    private static DistributedMap.Builder<?, ?> map(StructureRequest<MapSettings> asked) {
        Class<?> keys = asked.types()[0];
        Class<?> values = asked.types()[1];
        String keyType = asked.property() + ".key-type";
        String valueType = asked.property() + ".value-type";
        ApplicationCodecs codecs = asked.codecs();
        return codecs.areFixed(keys) && codecs.areFixed(values)
                ? DistributedMap.builder(asked.name(), codecs.fixed(keyType, keys), codecs.fixed(valueType, values),
                        asked.world()::participant, asked.world().epochs())
                : DistributedMap.builder(asked.name(), codecs.keys(keyType, keys), codecs.values(valueType, values),
                        asked.world()::participant, asked.world().epochs());
    }

    /** Returns the kind whose properties have that prefix. */
    static StructureKind<?, ?> of(String prefix) {
        return ALL.stream().filter(kind -> kind.property.equals(prefix)).findFirst().orElseThrow();
    }

    /** Returns the builder that opens what is asked for. */
    B configured(StructureRequest<S> request) {
        B begun = builder.apply(request);
        configuration.accept(begun, request);
        return begun;
    }

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

    @Override
    public String toString() {
        return property;
    }
}
