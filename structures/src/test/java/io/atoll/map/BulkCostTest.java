package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.trace.Journal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Round trips of operations on many keys, in a map of which half the buckets have a key. */
class BulkCostTest {

    private static final int HALF = 4_096; // of the buckets of a rank

    private static final int FEW = 16;

    static final List<Guarantees> FABRICS = List.of(CostWorld.LINES, CostWorld.WORDS);

    private static final List<Long> KEYS = LongStream.range(1, 100_000)
            .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == 1)
            .limit(HALF + 128)
            .boxed()
            .toList();

    record Wide(long a, long b, long c, long d) {}

    static Stream<Arguments> counts() {
        return FABRICS.stream()
                .flatMap(guarantees -> Stream.of(FEW, 256).map(count -> Arguments.of(guarantees, count)));
    }

    /** Two round trips for each 32 KiB. */
    private static void assertFewToFind(Journal journal) {
        assertThat((long) journal.roundTrips()).isLessThanOrEqualTo(2 * buffers(journal));
    }

    private static long buffers(Journal journal) {
        return Math.ceilDiv(journal.bytes(), Batch.THREAD_BUFFER_BYTES);
    }

    /** Four round trips for the first keys, and two more for each 64 keys or 32 KiB that follow. */
    private static void assertFewToStore(Journal journal, int count) {
        long parts = Math.max(Math.ceilDiv(count, Batch.ATOMICS), buffers(journal));
        assertThat((long) journal.roundTrips()).isLessThanOrEqualTo(4 + 2 * (parts - 1));
    }

    private static <V> void check(Guarantees guarantees, int count, Class<V> values, LongFunction<V> value) {
        CostWorld world = new CostWorld(guarantees);
        DistributedMap<Long, V> map = DistributedMap
                .builder("map", Long.class, values, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        assertThat(map.buckets()).isEqualTo(CostWorld.RANKS * 2 * HALF);
        KEYS.subList(count, HALF).forEach(key -> map.putIfAbsent(key, value.apply(key)));
        Map<Long, V> entries = new HashMap<>();
        KEYS.subList(0, count).forEach(key -> entries.put(key, value.apply(key)));
        assertFewToStore(world.journalOf(() -> map.putAll(entries)), count);
        assertFewToStore(world.journalOf(() -> map.putAll(entries)), count);
        assertFewToFind(world.journalOf(() -> assertThat(map.getAll(entries.keySet())).isEqualTo(entries)));
        Map<Long, V> others = new LinkedHashMap<>();
        KEYS.subList(HALF - count, HALF).forEach(key -> others.put(key, value.apply(key)));
        assertFewToFind(world.journalOf(() -> assertThat(map.getAll(others.keySet())).isEqualTo(others)));
    }

    @ParameterizedTest
    @MethodSource("counts")
    void ofWords(Guarantees guarantees, int count) {
        check(guarantees, count, Long.class, key -> -key);
    }

    @ParameterizedTest
    @MethodSource("counts")
    void ofWideValues(Guarantees guarantees, int count) {
        check(guarantees, count, Wide.class, key -> new Wide(key, key, key, key));
    }

    @ParameterizedTest
    @MethodSource("counts")
    void ofLongs(Guarantees guarantees, int count) {
        CostWorld world = new CostWorld(guarantees);
        LongLongMap map = LongLongMap.builder("map", world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        assertThat(map.buckets()).isEqualTo(CostWorld.RANKS * 2 * HALF);
        KEYS.subList(count, HALF).forEach(key -> map.putIfAbsent(key, -key));
        long[] keys = KEYS.subList(0, count).stream().mapToLong(key -> key).toArray();
        long[] values = LongStream.of(keys).map(key -> -key).toArray();
        assertFewToStore(world.journalOf(() -> map.putAll(keys, values)), count);
        assertFewToStore(world.journalOf(() -> map.putAll(keys, values)), count);
        assertFewToFind(world.journalOf(() -> assertThat(map.getAll(keys, 0)).isEqualTo(values)));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void fewLongsAreAlmostAlwaysFoundInOneRoundTrip(Guarantees guarantees) {
        CostWorld world = new CostWorld(guarantees);
        LongLongMap map = LongLongMap.builder("map", world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        KEYS.subList(0, HALF).forEach(key -> map.putIfAbsent(key, -key));
        int parts = HALF / FEW;
        int more = 0;
        for (int part = 0; part < parts; part++) {
            long[] keys = KEYS.subList(part * FEW, part * FEW + FEW).stream().mapToLong(key -> key).toArray();
            more += world.journalOf(() -> map.getAll(keys, 0)).roundTrips() > 1 ? 1 : 0;
        }
        assertThat(more).isLessThan(parts / 50);
    }

    /** Keys of several ranks take no more round trips than those of one. */
    @Test
    void ranksAreAskedAtOnce() {
        CostWorld world = new CostWorld(CostWorld.WORDS);
        DistributedMap<Long, Long> map = DistributedMap
                .builder("map", Long.class, Long.class, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        Map<Long, Long> entries = LongStream.range(0, 12).boxed().collect(Collectors.toMap(key -> key, key -> -key));
        Journal put = world.journalOf(() -> map.putAll(entries));
        assertThat(put.ranks()).containsExactly(0, 1);
        assertThat(put.roundTrips()).isEqualTo(3);
        Journal got = world.journalOf(() -> assertThat(map.getAll(entries.keySet())).isEqualTo(entries));
        assertThat(got.ranks()).containsExactly(0, 1);
        assertThat(got.roundTrips()).isOne();
    }

    /** One verb reads a bucket between the looks at its state, where the owner executes it. */
    @Test
    void eachKeyTakesOneReadWhereTheOwnerDecides() {
        CostWorld world = new CostWorld(CostWorld.GUARDING);
        DistributedMap<Long, Long> map = DistributedMap
                .builder("map", Long.class, Long.class, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        Map<Long, Long> entries = KEYS.subList(0, FEW).stream().collect(Collectors.toMap(key -> key, key -> -key));
        map.putAll(entries);
        Journal journal = world.journalOf(() -> assertThat(map.getAll(entries.keySet())).isEqualTo(entries));
        assertThat(journal.reads()).isEqualTo(FEW);
        assertThat(journal.roundTrips()).isOne();
    }

    @ParameterizedTest
    @MethodSource("counts")
    void ofTexts(Guarantees guarantees, int count) {
        CostWorld world = new CostWorld(guarantees);
        DistributedMap<String, String> map = DistributedMap
                .builder("texts", String.class, String.class, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        Map<String, String> entries = new HashMap<>();
        Stream.iterate(0, number -> number + 1)
                .map(number -> "key " + number)
                .filter(key -> map.owner(key) == 1)
                .limit(count)
                .forEach(key -> entries.put(key, "value of " + key));
        map.putAll(entries);
        Journal journal = world.journalOf(() -> assertThat(map.getAll(entries.keySet())).isEqualTo(entries));
        // Those of the payloads follow those of the buckets.
        assertThat((long) journal.roundTrips())
                .isLessThanOrEqualTo(1 + 2 * Math.ceilDiv(journal.bytes(), Batch.THREAD_BUFFER_BYTES));
    }
}
