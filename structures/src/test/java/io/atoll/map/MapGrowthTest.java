package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.epoch.EpochSnapshot.TokenState;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.HeapUsage;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps of objects that were opened far too small. */
@Tag("slow")
class MapGrowthTest {

    private static final int RANKS = 2;
    private static final int KEYS = 10_000;

    record Order(long id, long cents, int items) {}

    @TempDir
    Path folder;

    private Worlds worlds;

    @BeforeEach
    void open() {
        worlds = new Worlds(folder, RANKS);
    }

    @AfterEach
    void close() {
        worlds.close();
    }

    private static Order order(long key) {
        return new Order(key, key * 3, (int) key);
    }

    @Test
    void aMapGrowsWithWhatIsInIt() {
        assertGrows(Order.class, MapGrowthTest::order);
    }

    @Test
    void aMapOfWordsGrowsWithWhatIsInIt() {
        assertGrows(Long.class, key -> -key);
    }

    private <V> void assertGrows(Class<V> type, LongFunction<V> values) {
        List<DistributedMap<Long, V>> maps = worlds.maps("map", Long.class, type, 1);
        DistributedMap<Long, V> map = maps.getFirst();
        assertThat(map.buckets()).isEqualTo(8 * RANKS);
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.putIfAbsent(key, values.apply(key))).isTrue();
        }
        assertThat(map.buckets()).isBetween(KEYS * 5L / 4, KEYS * 4L);
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getLast().get(key)).isEqualTo(values.apply(key));
            assertThat(map.putIfAbsent(key, values.apply(1))).isFalse();
        }
        assertThat(map.size()).isEqualTo(KEYS);
        assertThat(map.sizeEstimate()).isBetween(KEYS * 3L / 4, KEYS * 5L / 4);
        map.clear();
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void insertionsAreCountedAlsoWhereNothingIsMoved() {
        DistributedMap<Long, Order> orders = worlds.rank(0).map("orders", Long.class, Order.class).open();
        DistributedMap<Long, Long> words = worlds.rank(0).map("words", Long.class, Long.class).open();
        long buckets = words.buckets();
        for (long key = 0; key < KEYS; key++) {
            orders.putIfAbsent(key, order(key));
            words.putIfAbsent(key, key);
        }
        assertThat(words.buckets()).isEqualTo(buckets);
        assertThat(orders.sizeEstimate()).isBetween(KEYS * 3L / 4, KEYS * 5L / 4);
        assertThat(words.sizeEstimate()).isBetween(KEYS * 3L / 4, KEYS * 5L / 4);
    }

    @Test
    void noOperationLeavesItsThreadPinned() {
        useOnce(worlds.rank(0).map("words", Long.class, Long.class).capacity(1).open(), 1L, 2L, 3L);
        useOnce(worlds.rank(0).map("orders", Long.class, Order.class).capacity(1).open(), 1L, 2L, order(3));
        useOnce(worlds.rank(0).map("texts", String.class, String.class).capacity(1).open(), "one", "two", "three");
    }

    private <K, V> void useOnce(DistributedMap<K, V> map, K key, K absent, V value) {
        List<Runnable> operations = List.of(() -> map.putIfAbsent(key, value), () -> map.putIfAbsent(key, value),
                () -> map.get(key), () -> map.get(absent), () -> map.containsKey(key), () -> map.put(key, value),
                () -> map.merge(key, value, (_, added) -> added), () -> map.getAll(List.of(key, absent)),
                () -> map.putAll(Map.of(key, value)), () -> map.getAndRemove(key), map::size);
        for (Runnable operation : operations) {
            operation.run();
            assertThat(worlds.rank(0).epochs().snapshot().ranks().getFirst().tokens()).isNotEmpty()
                    .noneMatch(TokenState::pinned);
        }
    }

    @Test
    void textsAreFoundAfterwardsAlsoByAHashOfOnesOwn() {
        var texts = worlds.rank(0).map("texts", String.class, String.class).capacity(1).open();
        var own = worlds.rank(0)
                .map("own", String.class, String.class)
                .hash(text -> text.charAt(text.length() - 1))
                .capacity(1)
                .open();
        for (int number = 0; number < 1_000; number++) {
            assertThat(texts.putIfAbsent("key " + number, "value " + number)).isTrue();
            assertThat(own.putIfAbsent("key " + number, "value " + number)).isTrue();
        }
        for (int number = 0; number < 1_000; number++) {
            assertThat(texts.get("key " + number)).isEqualTo("value " + number);
            assertThat(own.getAndRemove("key " + number)).isEqualTo("value " + number);
        }
        assertThat(texts.size()).isEqualTo(1_000);
        assertThat(own.isEmpty()).isTrue();
    }

    @Test
    void everyOperationOnWordsHashesThemByAHashOfOnesOwn() {
        DistributedMap<Long, Long> map = worlds.rank(0)
                .map("own", Long.class, Long.class)
                .hash(key -> key % 10)
                .capacity(1)
                .open();
        for (long key = 0; key < 200; key++) {
            assertThat(map.putIfAbsent(key, key)).isTrue();
            assertThat(map.put(key, -key)).as("there already").isFalse();
            assertThat(map.putIfAbsent(key, key)).isFalse();
        }
        for (long key = 0; key < 200; key++) {
            assertThat(map.get(key)).isEqualTo(-key);
            assertThat(map.getAndRemove(key)).isEqualTo(-key);
        }
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void countsAreExactWhoeverMovesThem() throws Exception {
        List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1);
        int threads = 4;
        Worlds.atOnce(threads, thread -> () -> {
            DistributedMap<Long, Long> map = maps.get(thread % RANKS);
            for (long key = 0; key < KEYS; key++) {
                map.merge(key, 1L + thread, Long::sum);
                map.compute(7L, (same, present) -> present == null ? 1 : present + 1);
            }
            return thread;
        });
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getFirst().get(key)).as("key=" + key).isEqualTo(key == 7 ? 10 + threads * KEYS : 10);
        }
    }

    @Test
    void aMapGrowsWhileAFunctionIsAskedAboutOneOfItsEntries() {
        DistributedMap<Long, Long> map = worlds.<Long, Long>maps("map", Long.class, Long.class, 1).getFirst();
        map.putIfAbsent(1L, 5L);
        assertThat(map.compute(1L, (same, present) -> {
            for (long key = 10; key < 1_000; key++) {
                map.putIfAbsent(key, key);
            }
            return 2 * present;
        })).isEqualTo(10);
        assertThat(map.get(1L)).isEqualTo(10);
        assertThat(map.size()).isEqualTo(991);
    }

    @Test
    void whatIsRemovedMakesRoomAgain() {
        DistributedMap<Long, Long> map = worlds.<Long, Long>maps("map", Long.class, Long.class, 100).getFirst();
        long before = map.buckets();
        for (long key = 0; key < KEYS; key++) {
            map.putIfAbsent(key, 1L);
            assertThat(map.getAndRemove(key)).isOne();
            assertThat(map.computeIfAbsent(-1 - key, same -> null)).isNull();
        }
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.buckets()).isEqualTo(before);
    }

    @Test
    void blocksThatWereReplacedAreFreedAndPayloadsOnce() {
        List<DistributedMap<String, String>> maps = worlds.maps("map", String.class, String.class, 1);
        for (int key = 0; key < KEYS; key++) {
            maps.get(key % RANKS).putIfAbsent("key " + key, "value " + key);
        }
        for (int key = 0; key < KEYS; key++) {
            // Operations that change something finish what has been begun.
            maps.getFirst().put("key " + key, "longer than before " + key);
        }
        long buckets = maps.getFirst().buckets();
        maps.getFirst().clear();
        long used = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.rank(rank).epochs().clear();
        }
        for (int rank = 0; rank < RANKS; rank++) {
            HeapUsage usage = worlds.rank(0).participant().heap().usage(rank);
            assertThat(usage.objects()).isZero();
            used += usage.ownedBytes();
        }
        // The epochs' block, the header, the head of the block, and whole slabs.
        assertThat(used - buckets * PayloadEntries.bucket().size).isBetween(0L, RANKS * (64L << 10));
    }

    @Test
    void whoIteratesWhileItGrowsSeesEachKeyOnceAndAllThatAreThere() throws Exception {
        List<DistributedMap<String, Long>> maps = worlds.maps("map", String.class, Long.class, 1);
        for (long key = 0; key < 500; key++) {
            maps.getFirst().putIfAbsent("" + key, key);
        }
        var done = new AtomicBoolean();
        Worlds.atOnce(2, thread -> () -> {
            if (thread == 0) {
                for (long key = 500; key < KEYS; key++) {
                    maps.getFirst().putIfAbsent("" + key, key);
                }
                done.set(true);
                return thread;
            }
            while (!done.get()) {
                Map<String, Long> seen = new HashMap<>();
                maps.getLast().forEach((key, value) -> assertThat(seen.put(key, value)).as("key=" + key).isNull());
                for (long key = 0; key < 500; key++) {
                    assertThat(seen).containsEntry("" + key, key);
                }
            }
            return thread;
        });
        assertThat(maps.getFirst().size()).isEqualTo(KEYS);
    }

    @Test
    void whereTheSegmentIsFullAMapStopsToGrowAndNothingElse() {
        DistributedMap<Long, Order> map = worlds.<Long, Order>maps("map", Long.class, Order.class, 1).getFirst();
        long[] inserted = new long[1];
        assertThatThrownBy(() -> {
            while (true) {
                map.putIfAbsent(inserted[0], order(inserted[0]));
                inserted[0]++;
            }
        }).isInstanceOf(SegmentFullException.class);
        assertThat(inserted[0]).isGreaterThan(20_000);
        assertThat(map.get(inserted[0])).isNull();
        for (long key = 0; key < inserted[0]; key++) {
            assertThat(map.put(key, order(key + 1))).isFalse();
        }
    }
}
