package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage.Operation;
import io.atoll.CostPage.RoundTrips;
import io.atoll.array.Array;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.completion.Completions;
import io.atoll.completion.PolledCompletions;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.trace.Journal;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.AsyncLongLongMap;
import io.atoll.map.AsyncMap;
import io.atoll.map.CostWorld;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.map.MapPlace;
import io.atoll.promise.Promise;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Counts the round trips of the operations on the page of costs, in the best case, and compares. */
class CostPageTest {

    private static final Path TESTS = Path.of("src", "test", "java", "io", "atoll");

    /** Rows that the tests of these files compare. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("lock, by the owner's threads", "lock/LockCostTest.java"),
            Map.entry("lock / unlock, by others", "lock/LockCostTest.java"),
            Map.entry("lock / unlock", "lock/LockCostTest.java"),
            Map.entry("the same of a spin lock, by any thread", "lock/SpinCostTest.java"),
            Map.entry("epochs: pin, unpin / retire of 60 objects", "epoch/EpochCostTest.java"),
            Map.entry("broadcast to p ranks, by a tree, up to 28 KiB", "collective/BroadcastCostTest.java"),
            Map.entry("broadcast to p ranks, linear", "collective/BroadcastCostTest.java"),
            Map.entry("map: `putIfAbsent` through a buffer, n entries of a message", "map/HashMapBufferCostTest.java"),
            Map.entry("map that grows: an operation's share of moving it, 16 buckets, `LongLongMap` / `DistributedMap`",
                    "map/GrowthCostTest.java"),
            Map.entry("history of a rank: a point a second / read by another", "history/HistoryTest.java"),
            Map.entry("barrier / reduction for all of p ranks", "collective/ExchangeTest.java"),
            Map.entry("ten structures that are there: to open them all", "OpeningCostTest.java"));

    private static final int HOST = 1;
    private static final int FEW = 16;
    private static final int MANY = 256;

    private static final List<Long> KEYS = LongStream.range(1, 10_000)
            .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == HOST)
            .limit(MANY)
            .boxed()
            .toList();
    private static final long KEY = KEYS.getFirst();
    private static final long OWN_KEY = LongStream.range(1, 100)
            .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) != HOST)
            .findFirst()
            .orElseThrow();

    private final Map<String, RoundTrips> counted = new HashMap<>();

    @Test
    void theRoundTripsOfEachOperationAreThoseOfThePage() throws IOException {
        countMaps();
        countAsynchronousMaps();
        countManyKeys();
        countFilters();
        countCircularQueues();
        countOtherStructures();
        countUsual();
        Map<String, RoundTrips> page = CostPage.read();
        page.keySet().removeAll(ELSEWHERE.keySet());
        assertThat(page).containsExactlyInAnyOrderEntriesOf(counted);
    }

    @Test
    void aLookAtSomeEntriesWaitsForEachOfItsReads() {
        for (Guarantees guarantees : List.of(CostWorld.GUARDING, CostWorld.LINES, CostWorld.WORDS_IN_ANY_ORDER)) {
            var world = new CostWorld(guarantees);
            LongLongMap map = longs(world);
            map.put(KEY, 1);
            Journal look = world.journalOf(() -> map.forEach(MapPlace.FIRST, MANY, (_, _) -> {}));
            assertThat(look.roundTrips()).isEqualTo(look.reads()).isGreaterThan(1);
        }
    }

    @Test
    void rowsThatOtherTestsCompareAreOnThePageAndInTheTest() throws IOException {
        assertThat(CostPage.read()).containsKeys(ELSEWHERE.keySet().toArray(String[]::new));
        for (Map.Entry<String, String> row : ELSEWHERE.entrySet()) {
            assertThat(Files.readString(TESTS.resolve(row.getValue()))).contains('"' + row.getKey() + '"');
        }
    }

    // --- how an operation is counted ---

    private void count(String row, Operation... operations) {
        counted.put(row, CostPage.counted(operations));
    }

    private static <S> Operation operation(Function<CostWorld, S> opening, Consumer<S> before, Consumer<S> work) {
        return guarantees -> {
            var world = new CostWorld(guarantees);
            S structure = opening.apply(world);
            before.accept(structure);
            return world.journalOf(() -> work.accept(structure)).roundTrips();
        };
    }

    /** Several operations of which each takes the same. */
    private static Operation each(Operation... operations) {
        return guarantees -> {
            List<Integer> counts = Stream.of(operations).map(each -> each.roundTrips(guarantees)).distinct().toList();
            assertThat(counts).as("different counts of the operations of a row").hasSize(1);
            return counts.getFirst();
        };
    }

    // --- maps ---

    private static <K, V> DistributedMap<K, V> map(CostWorld world, Class<K> keys, Class<V> values) {
        return DistributedMap.builder("map", keys, values, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
    }

    /** An operation on a map that has not had the key. */
    private static Operation ofNewKey(Consumer<DistributedMap<Long, Long>> work) {
        return operation(world -> map(world, Long.class, Long.class), _ -> {}, work);
    }

    private static Operation ofPresentKey(Consumer<DistributedMap<Long, Long>> work) {
        return operation(world -> map(world, Long.class, Long.class), map -> map.put(KEY, 1L), work);
    }

    private static LongLongMap longs(CostWorld world) {
        return LongLongMap.builder("longs", world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
    }

    private static Operation ofPresentLong(Consumer<LongLongMap> work) {
        return operation(CostPageTest::longs, map -> map.put(KEY, 1), work);
    }

    private static List<String> texts(DistributedMap<String, String> map, int count) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> "key " + number)
                .filter(key -> map.owner(key) == HOST)
                .limit(count)
                .toList();
    }

    private static Operation ofTexts(Consumer<DistributedMap<String, String>> before,
            Consumer<DistributedMap<String, String>> work) {
        return operation(world -> map(world, String.class, String.class), before, work);
    }

    private void countMaps() {
        count("map: `putIfAbsent` of a new key", each(ofNewKey(map -> map.putIfAbsent(KEY, 1L)),
                operation(CostPageTest::longs, _ -> {}, map -> map.putIfAbsent(KEY, 1))));
        count("map: `get`, atomic with insertions", ofPresentKey(map -> map.get(KEY)));
        count("map: `putIfAbsent`, `Promise.onlyInserts()` / `get`, `Promise.onlyReads()`",
                ofNewKey(map -> map.putIfAbsent(KEY, 1L, Promise.onlyInserts())),
                ofPresentKey(map -> map.get(KEY, Promise.onlyReads())));
        count("map: `putIfAbsent` / `get`, `Promise.local()`",
                ofNewKey(map -> map.putIfAbsent(OWN_KEY, 1L, Promise.local())),
                ofNewKey(map -> map.get(OWN_KEY, Promise.local())));
        count("map: `addAndGet`, `put` and `getAndPut` of a key that is there, `LongLongMap`",
                each(ofPresentLong(map -> map.addAndGet(KEY, 1)), ofPresentLong(map -> map.put(KEY, 2)),
                        ofPresentLong(map -> map.getAndPut(KEY, 2, 0))));
        count("map: `put` of a key that is there", each(ofPresentKey(map -> map.put(KEY, 2L)),
                ofPresentKey(map -> map.getAndPut(KEY, 2L))));
        count("map: `merge`, `compute` of a key that is there",
                each(ofPresentKey(map -> map.merge(KEY, 2L, Long::sum)),
                        ofPresentKey(map -> map.compute(KEY, (_, value) -> value + 1))));
        count("map of texts, and others of variable size: `get`", ofTexts(
                map -> map.put(texts(map, 1).getFirst(), "value"), map -> map.get(texts(map, 1).getFirst())));
        // aLookAtSomeEntriesWaitsForEachOfItsReads counts it.
        counted.put("map: some entries from a place on", RoundTrips.ONE_FOR_EACH_READ);
        count("map: `remove`", ofPresentKey(map -> map.getAndRemove(KEY)));
    }

    // --- asynchronous maps ---

    /** Returns what submits an operation, and takes it further until it is done. */
    private static <S, A> Consumer<S> polled(BiFunction<S, Completions, A> opening,
            Function<A, CompletionStage<?>> operation) {
        return structure -> {
            var polled = new PolledCompletions(1);
            A async = opening.apply(structure, polled.completions());
            polled.join(List.of(operation.apply(async).toCompletableFuture()));
        };
    }

    private static Operation asyncOfPresentKey(Function<AsyncMap<Long, Long>, CompletionStage<?>> operation) {
        return ofPresentKey(polled(DistributedMap::async, operation));
    }

    private static Operation asyncOfNewKey(Function<AsyncMap<Long, Long>, CompletionStage<?>> operation) {
        return ofNewKey(polled(DistributedMap::async, operation));
    }

    private static Operation asyncOfPresentLong(Function<AsyncLongLongMap, CompletionStage<?>> operation) {
        return ofPresentLong(polled(LongLongMap::async, operation));
    }

    private void countAsynchronousMaps() {
        count("asynchronous map: `get`", asyncOfPresentKey(map -> map.get(KEY)));
        count("asynchronous map: `addAndGet`, `put`, `getAndPut`, `replace` and `getAndRemove` of a key that is there, "
                + "`LongLongMap`",
                each(asyncOfPresentLong(map -> map.addAndGet(KEY, 1)), asyncOfPresentLong(map -> map.put(KEY, 2)),
                        asyncOfPresentLong(map -> map.getAndPut(KEY, 2, 0)),
                        asyncOfPresentLong(map -> map.replace(KEY, 1, 2)),
                        asyncOfPresentLong(map -> map.getAndRemove(KEY, 0))));
        count("asynchronous map: `put`, `getAndPut` and `getAndReplace` of a key that is there",
                each(asyncOfPresentKey(map -> map.put(KEY, 2L)), asyncOfPresentKey(map -> map.getAndPut(KEY, 2L)),
                        asyncOfPresentKey(map -> map.getAndReplace(KEY, 2L))));
        count("asynchronous map: `remove`", each(asyncOfPresentKey(map -> map.remove(KEY)),
                asyncOfPresentKey(map -> map.getAndRemove(KEY))));
        count("asynchronous map: `put` and `putIfAbsent` of a new key", each(asyncOfNewKey(map -> map.put(KEY, 1L)),
                asyncOfNewKey(map -> map.putIfAbsent(KEY, 1L))));
        count("asynchronous map: `addAndGet` of a new key, `LongLongMap`", operation(CostPageTest::longs, _ -> {},
                polled(LongLongMap::async, (AsyncLongLongMap map) -> map.addAndGet(KEY, 1))));
    }

    private static void putFew(LongLongMap map) {
        long[] keys = KEYS.stream().limit(FEW).mapToLong(key -> key).toArray();
        map.putAll(keys, keys);
    }

    private static Map<Long, Long> entries(int count) {
        return KEYS.stream().limit(count).collect(Collectors.toMap(key -> key, key -> -key));
    }

    private static Map<String, String> entries(DistributedMap<String, String> map, int count) {
        return texts(map, count).stream().collect(Collectors.toMap(key -> key, key -> "value"));
    }

    private static Operation ofPresentKeys(int count, Consumer<DistributedMap<Long, Long>> work) {
        return operation(world -> map(world, Long.class, Long.class), map -> map.putAll(entries(count)), work);
    }

    /** What is retired is noted in the own segment, where TCP takes loads and stores. */
    private static Operation retiring(Operation operation) {
        return guarantees -> operation.roundTrips(guarantees == CostWorld.GUARDING ? SimOptions.TCP : guarantees);
    }

    private void countManyKeys() {
        for (int keys : new int[]{FEW, MANY}) {
            count("`getAll` of " + keys, ofPresentKeys(keys, map -> map.getAll(entries(keys).keySet())));
            count("`putAll` of " + keys + " new keys", ofNewKey(map -> map.putAll(entries(keys))));
            count("`putAll` of " + keys + " keys that are there",
                    ofPresentKeys(keys, map -> map.putAll(entries(keys))));
        }
        count("`putAll` of 16 keys that are there, as the last ones",
                operation(world -> map(world, Long.class, Long.class), map -> {
                    map.putAll(entries(FEW));
                    map.putAll(entries(FEW));
                }, map -> map.putAll(entries(FEW))));
        count("`putAll` of 16 keys that are there, `LongLongMap`",
                operation(CostPageTest::longs, CostPageTest::putFew, CostPageTest::putFew));
        count("`getAll` of 16 texts", ofTexts(map -> map.putAll(entries(map, FEW)),
                map -> map.getAll(texts(map, FEW))));
        for (int keys : new int[]{FEW, MANY}) {
            // The one before claims the slab.
            count("`putAll` of " + keys + " new texts", ofTexts(
                    map -> map.put(texts(map, keys + 1).getLast(), "value"), map -> map.putAll(entries(map, keys))));
            count("`putAll` of " + keys + " texts that are there", retiring(ofTexts(
                    map -> map.putAll(entries(map, keys)), map -> map.putAll(entries(map, keys)))));
        }
    }

    // --- filters ---

    private static Operation ofFilter(Consumer<LongBloomFilter> before,
            Consumer<LongBloomFilter> work) {
        return operation(world -> {
            LongBloomFilter filter = LongBloomFilter.builder("seen", world::participant)
                    .expectedElements(CostWorld.CAPACITY)
                    .open();
            filter.mightContain(KEY); // opens it
            return filter;
        }, before, work);
    }

    private void countFilters() {
        count("Bloom filter: `add` of a new element / of one that is there",
                ofFilter(_ -> {}, filter -> filter.add(KEY)),
                ofFilter(filter -> filter.add(KEY), filter -> filter.add(KEY)));
        count("Bloom filter: `mightContain`", ofFilter(_ -> {}, filter -> filter.mightContain(KEY)));
    }

    // --- queues ---

    private static Operation ofQueue(int host, Consumer<CircularQueue<Long>> work) {
        return operation(world -> CircularQueue.builder("queue", Long.class, world::participant)
                .capacity(8)
                .host(host)
                .open(), queue -> queue.push(List.of(1L, 2L, 3L)), work);
    }

    private static Operation ofQueue(Consumer<CircularQueue<Long>> work) {
        return ofQueue(HOST, work);
    }

    private static Operation ofLocalQueue(Consumer<CircularQueue<Long>> work) {
        return ofQueue(0, work);
    }

    private static Operation ofFastQueue(Consumer<FastQueue<Long>> work) {
        return operation(world -> FastQueue.builder("fast", Long.class, world::participant)
                .capacity(8)
                .host(HOST)
                .open(), queue -> queue.push(List.of(1L, 2L, 3L)), work);
    }

    private void countCircularQueues() {
        count("circular queue: push", ofQueue(queue -> queue.push(4L)));
        count("circular queue: pop", ofQueue(queue -> queue.pop()));
        count("circular queue: push, pop of n elements", ofQueue(queue -> queue.push(List.of(4L, 5L))),
                ofQueue(queue -> queue.pop(2)));
        count("circular queue: push, `Promise.onlyPushes()` / pop, `Promise.onlyPops()`",
                ofQueue(queue -> queue.push(4L, Promise.onlyPushes())),
                ofQueue(queue -> queue.pop(Promise.onlyPops())));
        count("circular queue: push, pop, `Promise.local()`", ofLocalQueue(queue -> queue.push(4L, Promise.local())),
                ofLocalQueue(queue -> queue.pop(Promise.local())));
        count("fast queue: push, pop of n elements", ofFastQueue(queue -> queue.push(List.of(4L, 5L))),
                ofFastQueue(queue -> queue.pop(2)));
    }

    // --- others ---

    private static Operation ofStack(Consumer<LinkedStack<Long>> work) {
        return operation(world -> LinkedStack.builder("stack", Long.class, world::participant, world.epochs())
                .host(HOST)
                .open(), stack -> {
                    LongStream.range(0, 8).forEach(stack::push);
                    // The first ones allocate where retired nodes are listed.
                    stack.pop();
                    stack.pop();
                }, work);
    }

    private static Operation ofLinkedQueue(Consumer<LinkedQueue<Long>> work) {
        return operation(world -> LinkedQueue.builder("linked", Long.class, world::participant, world.epochs())
                .host(HOST)
                .open(), queue -> {
                    LongStream.range(0, 8).forEach(queue::push);
                    queue.pop();
                    queue.pop();
                }, work);
    }

    private static Operation ofArray(Consumer<Array<Long>> work) {
        return operation(world -> Array.builder("array", Long.class, world::participant)
                .length(8)
                .host(HOST)
                .open(), _ -> {}, work);
    }

    private void countOtherStructures() {
        count("linked stack: push / pop", ofStack(stack -> stack.push(9L)), ofStack(stack -> stack.pop()));
        count("linked queue: push / pop", ofLinkedQueue(queue -> queue.push(9L)),
                ofLinkedQueue(queue -> queue.pop()));
        count("array: read, write of n elements of one rank",
                ofArray(array -> array.read(0, MemorySegment.ofArray(new long[3]))),
                ofArray(array -> array.write(0, MemorySegment.ofArray(new long[3]))));
    }

    // --- the usual operations ---

    private void countUsual() {
        count("`get`", ofPresentKey(map -> map.get(KEY)));
        count("`putIfAbsent` of a new key", ofNewKey(map -> map.putIfAbsent(KEY, 1L)));
        count("`put` of a new key", ofNewKey(map -> map.put(KEY, 1L)));
        count("`put` of a key that is there", ofPresentKey(map -> map.put(KEY, 1L)));
        count("increment, `LongLongMap.addAndGet`", ofPresentLong(map -> map.addAndGet(KEY, 1)));
        count("`remove`", ofPresentKey(map -> map.getAndRemove(KEY)));
        count("push", ofQueue(queue -> queue.push(4L)));
        count("pop", ofQueue(queue -> queue.pop()));
        count("Bloom filter, `add`", ofFilter(_ -> {}, filter -> filter.add(KEY)));
    }
}
