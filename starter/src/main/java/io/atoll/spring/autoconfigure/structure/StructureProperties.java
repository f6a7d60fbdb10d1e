package io.atoll.spring.autoconfigure.structure;

import io.atoll.lock.LockAlgorithm;
import io.atoll.world.OnLoss;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The structures that become beans. The settings of a structure must be the same at every process that names it.
 *
 * @param checkedPromises True to let the maps and queues named here find broken promises, for tests and trials. Must be
 * the same at all processes.
 * @param maps Maps, by name. Each is a DistributedMap bean.
 * @param longMaps Maps from long to long that count exactly, by name. Each is a LongLongMap bean.
 * @param filters Bloom filters, by name. Each is a BloomFilter bean.
 * @param longFilters Bloom filters of longs, by name. Each is a LongBloomFilter bean.
 * @param stacks Unbounded stacks, by name. Each is a LinkedStack bean.
 * @param linkedQueues Unbounded queues, by name. Each is a LinkedQueue bean.
 * @param queues Bounded queues, by name. Each is a CircularQueue bean.
 * @param longQueues Bounded queues of longs, by name. Each is a LongCircularQueue bean.
 * @param fastQueues Bounded queues for phases that barriers separate, by name. Each is a FastQueue bean.
 * @param arrays Arrays in the segment of one rank, by name. Each is an Array bean.
 * @param distributedArrays Arrays over all ranks, by name. Each is a DistributedArray bean.
 * @param longArrays Arrays of longs, over all ranks or in the segment of one rank, by name. Each is a LongArray bean.
 * @param lockTables Tables of locks for all ranks, by name. Each is a LockTable bean.
 */
@ConfigurationProperties("atoll")
public record StructureProperties(@DefaultValue("false") boolean checkedPromises,
        @DefaultValue Map<String, MapSettings> maps,
        @DefaultValue Map<String, LongMapSettings> longMaps, @DefaultValue Map<String, FilterSettings> filters,
        @DefaultValue Map<String, LongFilterSettings> longFilters,
        @DefaultValue Map<String, LinkedSettings> stacks, @DefaultValue Map<String, LinkedSettings> linkedQueues,
        @DefaultValue Map<String, QueueSettings> queues, @DefaultValue Map<String, LongQueueSettings> longQueues,
        @DefaultValue Map<String, QueueSettings> fastQueues, @DefaultValue Map<String, ArraySettings> arrays,
        @DefaultValue Map<String, DistributedArraySettings> distributedArrays,
        @DefaultValue Map<String, LongArraySettings> longArrays,
        @DefaultValue Map<String, LockTableSettings> lockTables) {

    /**
     * @param type Type of the values: long, int, uuid, instant, or the class of a record or an enum. With a largest
     * size, any type that a map can have.
     * @param host Rank whose segment holds it.
     * @param largestSize Number of bytes that a value takes at most. Needed if its type has no fixed size: string, a
     * record with texts, or an allowed class.
     * @param onLoss What happens if the host comes back without its segment: operations fail, or it begins empty.
     */
    public record LinkedSettings(@Nullable String type, @DefaultValue("0") int host, @Nullable DataSize largestSize,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param keyType Type of the keys: long, int, uuid, instant, string, or the class of a record or an enum.
     * @param valueType Type of the values: one of the key types, or any class that atoll.codec.allowed-classes names.
     * Keys and values of fixed size take fewer verbs.
     * @param capacity Number of keys that the map has room for at first, over all ranks. It keeps this capacity if it
     * is fixed.
     * @param fixed True for a map that does not grow. It costs less, but refuses new keys when it is full. Removed keys
     * count, too.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record MapSettings(@Nullable String keyType, @Nullable String valueType,
            @DefaultValue("65536") long capacity, @DefaultValue("false") boolean fixed,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * A map from long to long.
     *
     * @param capacity Number of keys that the map has room for at first, over all ranks. It keeps this capacity if it
     * is fixed.
     * @param fixed True for a map that does not grow. It costs less, but refuses new keys when it is full. Removed keys
     * count, too.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record LongMapSettings(@DefaultValue("65536") long capacity, @DefaultValue("false") boolean fixed,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type Type of the elements: string, long, uuid, or the class of a record or an enum.
     * @param expectedElements Number of different elements that the filter is made for, over all ranks.
     * @param falsePositiveRate Probability that the filter takes an element for one that was added, although it was
     * not.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record FilterSettings(@Nullable String type, @DefaultValue("65536") long expectedElements,
            @DefaultValue("0.01") double falsePositiveRate,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param expectedElements Number of different elements that the filter is made for, over all ranks.
     * @param falsePositiveRate Probability that the filter takes an element for one that was added, although it was
     * not.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record LongFilterSettings(@DefaultValue("65536") long expectedElements,
            @DefaultValue("0.01") double falsePositiveRate,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type Type of the elements: long, uuid, or the class of a record or an enum. With a largest size, any type
     * that a map can have.
     * @param capacity Number of elements that the queue can hold.
     * @param host Rank whose segment holds the queue.
     * @param largestSize Number of bytes that an element takes at most. Needed if its type has no fixed size: string, a
     * record with texts, or an allowed class.
     * @param onLoss What happens if the host comes back without its segment: operations fail, or the queue begins
     * empty.
     */
    public record QueueSettings(@Nullable String type, @DefaultValue("65536") long capacity,
            @DefaultValue("0") int host, @Nullable DataSize largestSize, @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param capacity Number of elements that the queue can hold.
     * @param host Rank whose segment holds the queue.
     * @param onLoss What happens if the host comes back without its segment: operations fail, or the queue begins
     * empty.
     */
    public record LongQueueSettings(@DefaultValue("65536") long capacity, @DefaultValue("0") int host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type Type of the elements: long, uuid, or the class of a record or an enum.
     * @param length Number of elements.
     * @param host Rank whose segment holds the array.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record ArraySettings(@Nullable String type, @DefaultValue("65536") long length,
            @DefaultValue("0") int host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type Type of the elements: long, uuid, or the class of a record or an enum.
     * @param length Number of elements, over all ranks.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record DistributedArraySettings(@Nullable String type, @DefaultValue("65536") long length,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param length Number of elements.
     * @param host Rank whose segment holds the array. Defaults to all ranks.
     * @param onLoss What happens to the part of a rank that comes back without its segment: operations on it fail, or
     * it begins empty.
     */
    public record LongArraySettings(@DefaultValue("65536") long length, @Nullable Integer host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param locks Number of locks, over all ranks.
     * @param algorithm How the ranks agree on the holder of a lock.
     * @param localBudget How many times in a row the owner's threads may have a lock while other ranks want it.
     * @param remoteBudget How many times in a row other ranks may have a lock while its owner wants it.
     * @param descriptors How many threads of a rank may hold locks or wait for them at the same time.
     */
    public record LockTableSettings(@DefaultValue("1024") long locks, @DefaultValue("alock") LockAlgorithm algorithm,
            @DefaultValue("5") int localBudget, @DefaultValue("20") int remoteBudget,
            @DefaultValue("256") int descriptors) {}
}
