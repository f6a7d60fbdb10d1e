package io.atoll.spring.autoconfigure.structure;

import io.atoll.lock.LockAlgorithm;
import io.atoll.world.OnLoss;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The structures of which there are to be beans. What is said of one must be the same at every process that names it.
 *
 * @param checkedPromises Whether maps and queues that are named here find broken promises, for tests and trials; the same at all processes.
 * @param maps Maps, by name; each is a DistributedMap bean.
 * @param longMaps Maps from long to long that count exactly, by name; each is a LongLongMap bean.
 * @param filters Bloom filters, by name; each is a BloomFilter bean.
 * @param longFilters Bloom filters of longs, by name; each is a LongBloomFilter bean.
 * @param stacks Stacks without bounds, by name; each is a LinkedStack bean.
 * @param linkedQueues Queues without bounds, by name; each is a LinkedQueue bean.
 * @param queues Bounded queues, by name; each is a CircularQueue bean.
 * @param longQueues Bounded queues of longs, by name; each is a LongCircularQueue bean.
 * @param fastQueues Bounded queues for phases that barriers separate, by name; each is a FastQueue bean.
 * @param arrays Arrays in the segment of one rank, by name; each is an Array bean.
 * @param distributedArrays Arrays over all ranks, by name; each is a DistributedArray bean.
 * @param longArrays Arrays of longs, over all ranks or in the segment of one, by name; each is a LongArray bean.
 * @param lockTables Locks for all ranks, by name; each is a LockTable bean.
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
     * @param type What the values are: long, int, uuid, instant, or the class of a record or an enum; with a largest size, any type that a map can have.
     * @param host The rank whose segment holds it.
     * @param largestSize Bytes that a value takes at most, if its type has no fixed size: string, a record with texts, or an allowed class.
     * @param onLoss What becomes of it when the rank that hosts it comes back without its segment: operations on it fail, or it begins empty.
     */
    public record LinkedSettings(@Nullable String type, @DefaultValue("0") int host, @Nullable DataSize largestSize,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param keyType A type: long, int, uuid, instant, string, or the class of a record or an enum.
     * @param valueType A type, as the key's, or any class that atoll.codec.allowed-classes names. Keys and values of fixed size take fewer verbs.
     * @param capacity How many keys it has room for at first, over all ranks; for good if it is fixed.
     * @param fixed Whether it does not grow: it costs less, and refuses new keys when it is full, of keys that were removed, too.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record MapSettings(@Nullable String keyType, @Nullable String valueType,
            @DefaultValue("65536") long capacity, @DefaultValue("false") boolean fixed,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * A map from long to long.
     *
     * @param capacity How many keys it has room for at first, over all ranks; for good if it is fixed.
     * @param fixed Whether it does not grow: it costs less, and refuses new keys when it is full, of keys that were removed, too.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record LongMapSettings(@DefaultValue("65536") long capacity, @DefaultValue("false") boolean fixed,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type What the elements are: string, long, uuid, or the class of a record or an enum.
     * @param expectedElements How many different elements it is made for, over all ranks.
     * @param falsePositiveRate How often it may take an element for one that was added.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record FilterSettings(@Nullable String type, @DefaultValue("65536") long expectedElements,
            @DefaultValue("0.01") double falsePositiveRate,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param expectedElements How many different elements it is made for, over all ranks.
     * @param falsePositiveRate How often it may take an element for one that was added.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record LongFilterSettings(@DefaultValue("65536") long expectedElements,
            @DefaultValue("0.01") double falsePositiveRate,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type What the elements are: long, uuid, or the class of a record or an enum; with a largest size, any type that a map can have.
     * @param capacity How many elements it can hold.
     * @param host The rank in whose segment it lies.
     * @param largestSize Bytes that an element takes at most, if its type has no fixed size: string, a record with texts, or an allowed class.
     * @param onLoss What becomes of it when the rank that hosts it comes back without its segment: operations on it fail, or it begins empty.
     */
    public record QueueSettings(@Nullable String type, @DefaultValue("65536") long capacity,
            @DefaultValue("0") int host, @Nullable DataSize largestSize, @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param capacity How many elements it can hold.
     * @param host The rank in whose segment it lies.
     * @param onLoss What becomes of it when the rank that hosts it comes back without its segment: operations on it fail, or it begins empty.
     */
    public record LongQueueSettings(@DefaultValue("65536") long capacity, @DefaultValue("0") int host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type What the elements are: long, uuid, or the class of a record or an enum.
     * @param length How many elements it has.
     * @param host The rank in whose segment it lies.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record ArraySettings(@Nullable String type, @DefaultValue("65536") long length,
            @DefaultValue("0") int host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param type What the elements are: long, uuid, or the class of a record or an enum.
     * @param length How many elements it has, over all ranks.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record DistributedArraySettings(@Nullable String type, @DefaultValue("65536") long length,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param length How many elements it has.
     * @param host The rank in whose segment it lies; it lies in all of them unless told.
     * @param onLoss What becomes of the part of a rank that comes back without its segment: operations on it fail, or it begins empty.
     */
    public record LongArraySettings(@DefaultValue("65536") long length, @Nullable Integer host,
            @DefaultValue("fail") OnLoss onLoss) {}

    /**
     * @param locks How many locks, over all ranks.
     * @param algorithm How the ranks agree on who has a lock.
     * @param localBudget How often in a row the owner's threads may have a lock while others want it.
     * @param remoteBudget How often in a row others may have a lock while its owner wants it.
     * @param descriptors How many threads of a rank may hold locks or wait for them at the same time.
     */
    public record LockTableSettings(@DefaultValue("1024") long locks, @DefaultValue("alock") LockAlgorithm algorithm,
            @DefaultValue("5") int localBudget, @DefaultValue("20") int remoteBudget,
            @DefaultValue("256") int descriptors) {}
}
