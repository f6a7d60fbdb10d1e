package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.promise.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The costs of maps that grow, and of values that differ in size, as long as nothing is moved. */
class MapCostTest {

    /** Keys of rank 1. */
    private static final List<Long> KEYS = LongStream.range(1, 10_000)
            .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == 1)
            .limit(100)
            .boxed()
            .toList();

    private final CostWorld world = new CostWorld(CostWorld.LINES);

    private LongLongMap growing() {
        LongLongMap map = LongLongMap.builder("grows", world::participant, world.epochs())
                .capacity(CostWorld.CAPACITY)
                .open();
        map.putIfAbsent(KEYS.getFirst(), 1); // finds the blocks
        return map;
    }

    @Test
    void insertingIntoAMapThatGrowsIsAnAtomicAndAWriteAndOneKeyOfManyIsCounted() {
        LongLongMap map = growing();
        List<String> costs = KEYS.stream().skip(1).map(key -> world.costOf(() -> map.putIfAbsent(key, 1))).toList();
        // The others are counted, or meet another key where the search for them begins.
        assertThat(costs).filteredOn("A8 W16 in 2"::equals).hasSizeGreaterThan(KEYS.size() * 3 / 4);
        assertThat(costs).filteredOn("A8 W16 A8 in 3"::equals).hasSizeBetween(1, KEYS.size() / 4);
    }

    @Test
    void allElseCostsWhatItDoesInAMapThatDoesNotGrow() {
        LongLongMap map = growing();
        long key = KEYS.getFirst();
        assertThat(world.costOf(() -> map.getOrDefault(key, 0))).isEqualTo("R64 in 1");
        assertThat(world.costOf(() -> map.addAndGet(key, 1))).isEqualTo("R64 A8 in 2");
        assertThat(world.costOf(() -> map.getAndRemove(key, 0))).isEqualTo("R64 A8 in 2");
    }

    @Test
    void aBlockInPiecesCostsWhatAWholeOneDoesOnceItIsKnown() {
        Fragmentation.fragment(world.participant().heap(), 1, 48 << 10, 4 << 10);
        LongLongMap map = growing();
        long key = KEYS.getFirst();
        assertThat(world.costOf(() -> map.getOrDefault(key, 0))).isEqualTo("R64 in 1");
        assertThat(world.costOf(() -> map.addAndGet(key, 1))).isEqualTo("R64 A8 in 2");
        List<String> costs = KEYS.stream().skip(1).map(each -> world.costOf(() -> map.putIfAbsent(each, 1))).toList();
        assertThat(costs).filteredOn("A8 W16 in 2"::equals).hasSizeGreaterThan(KEYS.size() * 3 / 4);
        DistributedMap<Long, Long> objects = growingObjects();
        assertThat(world.costOf(() -> objects.get(key))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> objects.put(key, 2L))).isEqualTo("R256 A8 W8 W8 in 3");
    }

    /** Returns how often the operation looks through the table of a heap, which has two windows of that size. */
    private static long walks(String cost) {
        return Stream.of(cost.split(" ")).filter("R4096"::equals).count();
    }

    @Test
    void whereThereIsNoRoomForANextBlockInsertionsSeldomLookForSome() {
        LongLongMap map = LongLongMap.builder("stuck", world::participant, world.epochs()).capacity(1_500).open();
        List<Long> keys = LongStream.range(1, 100_000)
                .filter(key -> map.owner(key) == 1)
                .limit(3_000)
                .boxed()
                .toList();
        map.putIfAbsent(keys.getFirst(), 1);
        Heap heap = world.participant().heap();
        heap.reserve(1, heap.usage(1).freeBytes() - (8 << 10));
        long walks = 0;
        long failures = 0;
        long walksOfFailures = 0;
        for (long key : keys) {
            long[] failed = new long[1];
            long found = walks(world.costOf(() -> failed[0] = inserts(map, key) ? 0 : 1));
            failures += failed[0];
            walks += found;
            walksOfFailures += failed[0] * found;
        }
        assertThat(failures).as("insertions without room").isGreaterThan(500);
        assertThat(walks - walksOfFailures).as("reads of the table from 80 % on").isLessThan(100);
        assertThat(walksOfFailures).as("reads of the table when the block is full").isLessThan(failures);
    }

    private static boolean inserts(LongLongMap map, long key) {
        try {
            map.putIfAbsent(key, 1);
            return true;
        } catch (SegmentFullException full) {
            return false;
        }
    }

    private DistributedMap<Long, Long> growingObjects() {
        DistributedMap<Long, Long> map = DistributedMap
                .builder("objects", Long.class, Long.class, world::participant, world.epochs())
                .capacity(CostWorld.CAPACITY)
                .open();
        map.putIfAbsent(KEYS.getFirst(), 1L);
        return map;
    }

    @Test
    void aMapOfObjectsThatGrowsCostsWhatOneDoesThatDoesNot() {
        DistributedMap<Long, Long> map = growingObjects();
        List<String> costs = KEYS.stream().skip(1).map(key -> world.costOf(() -> map.putIfAbsent(key, 1L))).toList();
        assertThat(costs).filteredOn("A8 W24 in 2"::equals).hasSizeGreaterThan(KEYS.size() * 3 / 4);
        assertThat(costs).filteredOn("A8 W24 A8 in 3"::equals).hasSizeBetween(1, KEYS.size() / 4);
        long key = KEYS.getFirst();
        assertThat(world.costOf(() -> map.get(key))).isEqualTo("R256 in 1");
        assertThat(world.costOf(() -> map.put(key, 2L))).isEqualTo("R256 A8 W8 W8 in 3");
    }

    /**
     * Returns the number of atomics. They include those that make a bucket final, of which one operation may do a
     * limited number.
     */
    private static long exchanges(String cost) {
        return Stream.of(cost.split(" ")).filter("A8"::equals).count();
    }

    @Test
    void noOperationMovesMoreThanSixteenBuckets() {
        LongLongMap longs = LongLongMap.builder("longs", world::participant, world.epochs()).capacity(1).open();
        DistributedMap<Long, Long> objects = DistributedMap
                .builder("few", Long.class, Long.class, world::participant, world.epochs())
                .capacity(1)
                .open();
        List<Long> exchanges = new ArrayList<>();
        for (long key = 0; key < 3_000; key++) {
            long number = key;
            exchanges.add(exchanges(world.costOf(() -> longs.putIfAbsent(number, 1))));
            exchanges.add(exchanges(world.costOf(() -> objects.putIfAbsent(number, 1L))));
        }
        // To move a bucket takes two exchanges, and two more to count it. The rest is the lease, the operation's own
        // bucket, and what makes a new block and frees an old one.
        assertThat(exchanges).allMatch(count -> count <= 4 * 16 + 40);
        assertThat(exchanges).filteredOn(count -> count > 16)
                .as("operations that moved buckets")
                .hasSizeGreaterThan(50);
    }

    @Test
    void ofWhatIsLocalOneKeyOfManyIsCountedInAMapThatGrows() {
        LongLongMap map = growing();
        long[] own = LongStream.range(1, 10_000).filter(key -> map.owner(key) == 0).limit(500).toArray();
        map.putIfAbsent(own[0], 1); // finds the blocks
        List<String> costs = LongStream.of(own)
                .mapToObj(key -> world.costOf(() -> map.putIfAbsent(key, 1, Promise.local())))
                .toList();
        assertThat(costs).containsOnly("no verb", "A8 in 1");
        assertThat(costs).filteredOn("A8 in 1"::equals).hasSizeLessThan(own.length / 4);
    }

    @Test
    void findingATextThatIsLocalCostsNoVerb() {
        DistributedMap<String, String> map = DistributedMap
                .builder("texts", String.class, String.class, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        String key = Stream.iterate("key", text -> text + "!").filter(text -> map.owner(text) == 0).findFirst().get();
        assertThat(map.putIfAbsent(key, "value", Promise.local())).isTrue();
        assertThat(world.costOf(() -> assertThat(map.get(key, Promise.local())).isEqualTo("value")))
                .isEqualTo("no verb");
        assertThat(map.get(key)).isEqualTo("value");
    }

    @Test
    void findingATextIsTwoReads() {
        DistributedMap<String, String> map = DistributedMap
                .builder("texts", String.class, String.class, world::participant, world.epochs())
                .capacity(CostWorld.CAPACITY)
                .open();
        for (int number = 0; number < 12; number++) {
            String key = "key " + number;
            map.put(key, "value");
            assertThat(world.costOf(() -> map.get(key))).isIn("R256 R24 in 2", "no verb");
            map.getAndRemove(key);
            assertThat(world.costOf(() -> map.get(key))).isIn("R256 in 1", "no verb");
        }
    }
}
