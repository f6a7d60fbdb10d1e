package io.atoll.spring.autoconfigure.structure;

import io.atoll.World;
import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.codec.Codec;
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
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Creates the structures that the properties name. They are handles, which contact no other rank before their first
 * use.
 */
final class StructureFactory implements BeanClassLoaderAware {

    private final StructureProperties properties;
    private final World world;
    private final ApplicationCodecs codecs;
    private @Nullable ClassLoader classLoader;

    StructureFactory(StructureProperties properties, World world, ApplicationCodecs codecs) {
        this.properties = properties;
        this.world = world;
        this.codecs = codecs;
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    DistributedMap<?, ?> map(String name) {
        MapSettings settings = StructureKind.MAP.settings(properties, name);
        Class<?>[] types = types(StructureKind.MAP, name);
        DistributedMap.Builder<?, ?> map = codecs.areFixed(types[0]) && codecs.areFixed(types[1])
                ? ofFixedSize(name, types[0], types[1])
                : ofVariableSize(name, types[0], types[1]);
        watched(map, DistributedMap.Builder::checkedPromises).onLoss(settings.onLoss());
        return checked(StructureKind.MAP, name,
                () -> (settings.fixed()
                        ? map.fixedCapacity(settings.capacity())
                        : map.capacity(settings.capacity())).openLazily());
    }

    private DistributedMap.Builder<?, ?> ofFixedSize(String name, Class<?> keys, Class<?> values) {
        return DistributedMap.builder(name, codecs.fixed(keyType(name), keys), codecs.fixed(valueType(name), values),
                world::participant, world.epochs());
    }

    private DistributedMap.Builder<?, ?> ofVariableSize(String name, Class<?> keys, Class<?> values) {
        return DistributedMap.builder(name, codecs.keys(keyType(name), keys),
                codecs.values(valueType(name), values), world::participant, world.epochs());
    }

    private static String keyType(String name) {
        return StructureKind.MAP.property(name) + ".key-type";
    }

    private static String valueType(String name) {
        return StructureKind.MAP.property(name) + ".value-type";
    }

    LongLongMap longMap(String name) {
        LongMapSettings settings = StructureKind.LONG_MAP.settings(properties, name);
        LongLongMap.Builder map = watched(world.longMap(name), LongLongMap.Builder::checkedPromises)
                .onLoss(settings.onLoss());
        return checked(StructureKind.LONG_MAP, name,
                () -> (settings.fixed()
                        ? map.fixedCapacity(settings.capacity())
                        : map.capacity(settings.capacity())).openLazily());
    }

    BloomFilter<?> filter(String name) {
        return filter(name, types(StructureKind.FILTER, name)[0]);
    }

    private <T> BloomFilter<T> filter(String name, Class<T> elements) {
        FilterSettings settings = StructureKind.FILTER.settings(properties, name);
        BloomFilter.Builder<T> filter = world.filter(name, elements)
                .expectedElements(settings.expectedElements())
                .falsePositiveRate(settings.falsePositiveRate())
                .onLoss(settings.onLoss());
        return checked(StructureKind.FILTER, name, filter::openLazily);
    }

    LongBloomFilter longFilter(String name) {
        LongFilterSettings settings = StructureKind.LONG_FILTER.settings(properties, name);
        return checked(StructureKind.LONG_FILTER, name,
                () -> world.longFilter(name)
                        .expectedElements(settings.expectedElements())
                        .falsePositiveRate(settings.falsePositiveRate())
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    LinkedStack<?> stack(String name) {
        LinkedSettings settings = StructureKind.STACK.settings(properties, name);
        Codec<?> values = elements(StructureKind.STACK, name, settings.largestSize());
        return checked(StructureKind.STACK, name,
                () -> LinkedStack.builder(name, values, world::participant, world.epochs())
                        .host(host(StructureKind.STACK, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    LinkedQueue<?> linkedQueue(String name) {
        LinkedSettings settings = StructureKind.LINKED_QUEUE.settings(properties, name);
        Codec<?> values = elements(StructureKind.LINKED_QUEUE, name, settings.largestSize());
        return checked(StructureKind.LINKED_QUEUE, name,
                () -> LinkedQueue.builder(name, values, world::participant, world.epochs())
                        .host(host(StructureKind.LINKED_QUEUE, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    CircularQueue<?> queue(String name) {
        QueueSettings settings = StructureKind.QUEUE.settings(properties, name);
        Codec<?> elements = elements(StructureKind.QUEUE, name, settings.largestSize());
        CircularQueue.Builder<?> queue = CircularQueue.builder(name, elements, world::participant);
        watched(queue, CircularQueue.Builder::checkedPromises);
        return checked(StructureKind.QUEUE, name,
                () -> queue.capacity(settings.capacity())
                        .host(host(StructureKind.QUEUE, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    LongCircularQueue longQueue(String name) {
        LongQueueSettings settings = StructureKind.LONG_QUEUE.settings(properties, name);
        LongCircularQueue.Builder queue = watched(world.longQueue(name), LongCircularQueue.Builder::checkedPromises);
        return checked(StructureKind.LONG_QUEUE, name,
                () -> queue.capacity(settings.capacity())
                        .host(host(StructureKind.LONG_QUEUE, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    FastQueue<?> fastQueue(String name) {
        QueueSettings settings = StructureKind.FAST_QUEUE.settings(properties, name);
        Codec<?> elements = elements(StructureKind.FAST_QUEUE, name, settings.largestSize());
        return checked(StructureKind.FAST_QUEUE, name,
                () -> FastQueue.builder(name, elements, world::participant)
                        .capacity(settings.capacity())
                        .host(host(StructureKind.FAST_QUEUE, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    Array<?> array(String name) {
        ArraySettings settings = StructureKind.ARRAY.settings(properties, name);
        Codec<?> elements = elements(StructureKind.ARRAY, name);
        return checked(StructureKind.ARRAY, name,
                () -> Array.builder(name, elements, world::participant)
                        .length(settings.length())
                        .host(host(StructureKind.ARRAY, name, settings.host()))
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    DistributedArray<?> distributedArray(String name) {
        DistributedArraySettings settings = StructureKind.DISTRIBUTED_ARRAY.settings(properties, name);
        Codec<?> elements = elements(StructureKind.DISTRIBUTED_ARRAY, name);
        return checked(StructureKind.DISTRIBUTED_ARRAY, name,
                () -> DistributedArray.builder(name, elements, world::participant)
                        .length(settings.length())
                        .onLoss(settings.onLoss())
                        .openLazily());
    }

    LongArray longArray(String name) {
        LongArraySettings settings = StructureKind.LONG_ARRAY.settings(properties, name);
        LongArray.Builder array = world.longArray(name).length(settings.length()).onLoss(settings.onLoss());
        if (settings.host() != null) {
            array.host(host(StructureKind.LONG_ARRAY, name, settings.host()));
        }
        return checked(StructureKind.LONG_ARRAY, name, array::openLazily);
    }

    LockTable lockTable(String name) {
        LockTableSettings settings = StructureKind.LOCK_TABLE.settings(properties, name);
        return checked(StructureKind.LOCK_TABLE, name,
                () -> world.lockTable(name)
                        .locks(settings.locks())
                        .algorithm(settings.algorithm())
                        .localBudget(settings.localBudget())
                        .remoteBudget(settings.remoteBudget())
                        .descriptors(settings.descriptors())
                        .openLazily());
    }

    /** Refuses a wrong rank here, since the structure itself is opened only on first use. */
    private int host(StructureKind<?> kind, String name, int rank) {
        if (rank < 0 || rank >= world.size()) {
            throw new InvalidConfigurationPropertyValueException(kind.property(name) + ".host", rank,
                    "the world has no such rank: size=" + world.size());
        }
        return rank;
    }

    private <B> B watched(B builder, UnaryOperator<B> checkedPromises) {
        return properties.checkedPromises() ? checkedPromises.apply(builder) : builder;
    }

    private Codec<?> elements(StructureKind<?> kind, String name) {
        return codecs.fixed(kind.property(name) + ".type", types(kind, name)[0]);
    }

    private Codec<?> elements(StructureKind<?> kind, String name, @Nullable DataSize largest) {
        Class<?> type = types(kind, name)[0];
        return codecs.areFixed(type) ? elements(kind, name) : codecs.bounded(kind.property(name), type, largest);
    }

    private Class<?>[] types(StructureKind<?> kind, String name) {
        return kind.typeArguments(properties, name, classLoader);
    }

    private <T> T checked(StructureKind<?> kind, String name, Supplier<T> opening) {
        try {
            return opening.get();
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException(kind.property(name), kind.settings(properties, name),
                    String.valueOf(failure.getMessage()));
        }
    }
}
