package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.sim.SimOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Entries are changed on conditions, and by functions of their callers. The tests use real shared memory unless they
 * say otherwise.
 */
@Tag("simulation")
class MapFunctionsTest {

    private static final int RANKS = 2;

    @TempDir
    Path folder;

    private Worlds worlds;
    private DistributedMap<Long, Long> map;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, RANKS);
        map = worlds.rank(0).map("map", Long.class, Long.class).capacity(64).open();
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    // --- conditions ---

    @Test
    void whatIsPutOnAConditionTellsWhatWasThere() {
        assertThat(map.getAndPutIfAbsent(1L, 10L)).isNull();
        assertThat(map.getAndPutIfAbsent(1L, 11L)).isEqualTo(10);
        assertThat(map.getAndPut(1L, 12L)).isEqualTo(10);
        assertThat(map.getAndPut(2L, 20L)).isNull();
        assertThat(map.getAndReplace(1L, 13L)).isEqualTo(12);
        assertThat(map.getAndReplace(3L, 30L)).isNull();
        assertThat(map.get(1L)).isEqualTo(13);
        assertThat(map.containsKey(3L)).isFalse();
    }

    @Test
    void whatIsExpectedIsReplacedAndRemovedAndNothingElse() {
        map.put(1L, 10L);
        assertThat(map.replace(1L, 11L, 12L)).isFalse();
        assertThat(map.replace(1L, 10L, 12L)).isTrue();
        assertThat(map.remove(1L, 10L)).isFalse();
        assertThat(map.get(1L)).isEqualTo(12);
        assertThat(map.remove(1L, 12L)).isTrue();
        assertThat(map.remove(1L, 12L)).isFalse();
        assertThat(map.replace(1L, 12L, 13L)).isFalse();
        assertThat(map.containsKey(1L)).isFalse();
    }

    @Test
    void aMapThatIsClearedIsEmpty() {
        assertThat(map.isEmpty()).isTrue();
        LongStream.range(0, 50).forEach(key -> map.put(key, key));
        assertThat(map.isEmpty()).isFalse();
        map.clear();
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.size()).isZero();
        assertThat(map.putIfAbsent(7L, 8L)).isTrue();
    }

    // --- functions ---

    @Test
    void aFunctionSeesWhatIsThereAndItsResultIsThereAfterwards() {
        assertThat(map.compute(1L, (key, present) -> present == null ? key * 10 : -1)).isEqualTo(10);
        assertThat(map.compute(1L, (key, present) -> present == null ? -1 : present + 1)).isEqualTo(11);
        assertThat(map.computeIfPresent(1L, (key, present) -> present + key)).isEqualTo(12);
        assertThat(map.computeIfPresent(2L, (key, present) -> -1L)).isNull();
        assertThat(map.computeIfAbsent(1L, key -> -1L)).isEqualTo(12);
        assertThat(map.computeIfAbsent(2L, key -> key * 10)).isEqualTo(20);
        assertThat(map.get(1L)).isEqualTo(12);
        assertThat(map.get(2L)).isEqualTo(20);
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void aFunctionThatReturnsNothingRemovesTheKey() {
        LongStream.range(1, 4).forEach(key -> map.put(key, key));
        assertThat(map.compute(1L, (key, present) -> null)).isNull();
        assertThat(map.computeIfPresent(2L, (key, present) -> null)).isNull();
        assertThat(map.merge(3L, 1L, (present, given) -> null)).isNull();
        assertThat(map.compute(4L, (key, present) -> null)).isNull();
        assertThat(map.computeIfAbsent(5L, key -> null)).isNull();
        assertThat(map.isEmpty()).isTrue();
        LongStream.range(1, 6).forEach(key -> assertThat(map.putIfAbsent(key, -key)).isTrue());
        LongStream.range(1, 6).forEach(key -> assertThat(map.get(key)).isEqualTo(-key));
    }

    @Test
    void aFunctionThatThrowsLeavesTheEntryAsItWas() {
        map.put(1L, 10L);
        assertThatThrownBy(() -> map.compute(1L, (key, present) -> Math.floorDiv(1L, 0L)))
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> map.computeIfAbsent(2L, key -> Math.floorDiv(1L, 0L)))
                .isInstanceOf(ArithmeticException.class);
        assertThat(map.get(1L)).isEqualTo(10);
        assertThat(map.get(2L)).isNull();
        assertThat(map.put(1L, 11L)).isFalse();
        assertThat(map.putIfAbsent(2L, 20L)).isTrue();
    }

    @Test
    void aFunctionMayUseTheMapForEveryOtherKey() {
        DistributedMap<Long, Long> full = worlds.rank(0).map("full", Long.class, Long.class).capacity(1).open();
        List<Long> keys = LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), RANKS) == 1)
                .limit(full.buckets() / RANKS)
                .boxed()
                .toList();
        full.computeIfAbsent(keys.getFirst(), first -> {
            keys.subList(1, keys.size()).forEach(key -> assertThat(full.putIfAbsent(key, -key)).isTrue());
            assertThat(full.get(first)).isNull();
            return -first;
        });
        assertThat(keys).allSatisfy(key -> assertThat(full.get(key)).isEqualTo(-key));
    }

    @Test
    void aFunctionMayFailInTheMapAndGoOn() {
        map.put(1L, 10L);
        assertThat(map.compute(1L, (key, present) -> {
            assertThatThrownBy(() -> map.compute(2L, (other, none) -> Math.floorDiv(1L, 0L)))
                    .isInstanceOf(ArithmeticException.class);
            return 11L;
        })).isEqualTo(11);
        assertThat(map.get(1L)).isEqualTo(11);
        assertThat(map.containsKey(2L)).isFalse();
    }

    @Test
    void aFunctionThatChangesItsOwnEntryIsRefusedAtOnce() {
        for (long present = 0; present < 2; present++) {
            long key = present;
            if (present == 1) {
                map.put(key, 10L);
            }
            assertThatIllegalStateException().isThrownBy(() -> map.compute(key, (any, value) -> {
                map.put(key, 1L);
                return 2L;
            })).withMessageEndingWith("map=map");
            assertThatIllegalStateException().isThrownBy(() -> map.compute(key,
                    (any, value) -> map.getAndRemove(key) == null ? map.computeIfAbsent(key, other -> 1L) : null));
            assertThat(map.get(key)).isEqualTo(present == 1 ? 10L : null);
        }
    }

    @Test
    void everyFunctionIsCalledOnceWhoeverElseComputes() throws Exception {
        List<DistributedMap<Long, Long>> maps = worlds.maps("counts", Long.class, Long.class, 4_000);
        AtomicInteger calls = new AtomicInteger();
        Map<Long, Long> absent = new ConcurrentHashMap<>();
        Worlds.atOnce(4, thread -> () -> {
            DistributedMap<Long, Long> mine = maps.get(thread % RANKS);
            for (long count = 0; count < 2_000; count++) {
                mine.compute(count % 5, (key, present) -> {
                    calls.incrementAndGet();
                    return present == null ? 1 : present + 1;
                });
                mine.computeIfAbsent(100 + count, key -> {
                    assertThat(absent.put(key, key)).as("called before: key=" + key).isNull();
                    return key;
                });
            }
            return null;
        });
        assertThat(calls).hasValue(8_000);
        long sum = LongStream.range(0, 5).map(key -> map(maps, key)).sum();
        assertThat(sum).isEqualTo(8_000);
    }

    private static long map(List<DistributedMap<Long, Long>> maps, long key) {
        Long value = maps.getLast().get(key);
        return value == null ? 0 : value;
    }

    @Test
    void aFunctionMayReserveWhatSharesAHoldWithItsOwnEntry() {
        var world = new CostWorld(SimOptions.NETWORK_CARD);
        DistributedMap<Long, Long> remote = DistributedMap
                .builder("map", Codecs.forType(Long.class), Codecs.forType(Long.class), world::participant,
                        world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        long buckets = remote.buckets() / CostWorld.RANKS;
        Placement placement = new Placement(CostWorld.RANKS, buckets);
        // Words share a hold if they are 8 KiB apart. For buckets of 32 bytes that is 256 buckets apart.
        List<Long> keys = LongStream.range(1, 1_000_000)
                .filter(key -> placement.owner(FixedHash.of(key)) == 1 && placement.home(FixedHash.of(key)) % 256 == 1)
                .limit(10)
                .boxed()
                .toList();
        assertThat(remote.compute(keys.getFirst(), (key, present) -> {
            keys.subList(1, 10).forEach(other -> assertThat(remote.putIfAbsent(other, 1L)).isTrue());
            return 2L;
        })).isEqualTo(2);
        assertThat(remote.get(keys.getFirst())).isEqualTo(2);
        assertThat(remote.size()).isEqualTo(10);
    }
}
