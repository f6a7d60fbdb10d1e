package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.failure.CodecException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

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

    // --- functions of entries that are far away ---

    static final List<Guarantees> NETWORKS = List.of(SimOptions.NETWORK_CARD, CostWorld.GUARDING);

    private static DistributedMap<Long, Long> remote(Guarantees guarantees, Codec<Long> values) {
        var world = new CostWorld(guarantees);
        return DistributedMap
                .builder("map", Codecs.forType(Long.class), values, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
    }

    private static DistributedMap<Long, Long> remote(Guarantees guarantees) {
        return remote(guarantees, Codecs.forType(Long.class));
    }

    private static List<Long> keysOfOneHome(DistributedMap<Long, Long> map, int count) {
        return CostWorld.keys(1, map.buckets() / CostWorld.RANKS, count);
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void aFunctionMayReserveWhatSharesAHoldWithItsOwnEntry(Guarantees guarantees) {
        DistributedMap<Long, Long> remote = remote(guarantees);
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

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void aFunctionMayChangeEveryOtherKeyOfItsHome(Guarantees guarantees) {
        DistributedMap<Long, Long> remote = remote(guarantees);
        List<Long> keys = keysOfOneHome(remote, 4);
        keys.forEach(key -> remote.put(key, 0L));
        for (long key : keys) {
            long before = Objects.requireNonNull(remote.get(key));
            assertThat(remote.compute(key, (_, present) -> {
                keys.stream().filter(other -> other != key).forEach(other -> remote.merge(other, 1L, Long::sum));
                return Objects.requireNonNull(present) + 10;
            })).isEqualTo(before + 10);
        }
        keys.forEach(key -> assertThat(remote.get(key)).isEqualTo(13));
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void aFunctionThatChangesItsOwnFarEntryIsRefusedAtOnce(Guarantees guarantees) {
        DistributedMap<Long, Long> remote = remote(guarantees);
        List<Long> keys = keysOfOneHome(remote, 3);
        keys.subList(0, 2).forEach(key -> remote.put(key, 1L));
        for (long key : keys) { // at its home, behind it, and new
            Long before = remote.get(key);
            assertThatIllegalStateException().isThrownBy(() -> remote.compute(key, (_, _) -> remote.getAndPut(key, 2L)))
                    .withMessageStartingWith("recursive update");
            assertThatIllegalStateException().isThrownBy(() -> remote.compute(key, (_, _) -> {
                remote.merge(key, 2L, Long::sum);
                return 3L;
            })).withMessageStartingWith("recursive update");
            assertThat(remote.get(key)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void aFunctionThatThrowsLeavesAFarEntryAsItWas(Guarantees guarantees) {
        DistributedMap<Long, Long> remote = remote(guarantees);
        List<Long> keys = keysOfOneHome(remote, 3);
        keys.subList(0, 2).forEach(key -> remote.put(key, 1L));
        for (long key : keys) {
            for (Throwable thrown : List.of(new IllegalStateException(), new OutOfMemoryError(),
                    new AssertionError())) {
                Long before = remote.get(key);
                assertThatThrownBy(() -> remote.compute(key, (_, _) -> {
                    throw MapFunctionsTest.<RuntimeException>sneaky(thrown);
                })).isSameAs(thrown);
                assertThat(remote.get(key)).isEqualTo(before);
                assertThat(remote.putIfAbsent(key, 1L)).isEqualTo(before == null);
            }
        }
    }

    @SuppressWarnings("unchecked") // that is how it is done
    private static <E extends Throwable> E sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    /** Stores small numbers only. */
    private record SmallNumbers(Codec<Long> numbers) implements Codec<Long> {

        @Override
        public String name() {
            return "small";
        }

        @Override
        public int bytes() {
            return numbers.bytes();
        }

        @Override
        public void encode(Long value, MemorySegment target, long position) {
            if (value > 9) {
                throw new IllegalArgumentException("too large");
            }
            numbers.encode(value, target, position);
        }

        @Override
        public Long decode(MemorySegment source, long position) {
            return numbers.decode(source, position);
        }
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void aValueThatCannotBeStoredMayStillBeMerged(Guarantees guarantees) {
        DistributedMap<Long, Long> remote = remote(guarantees, new SmallNumbers(Codecs.forType(Long.class)));
        List<Long> keys = keysOfOneHome(remote, 2);
        remote.put(keys.getFirst(), 1L);
        assertThat(remote.merge(keys.getFirst(), 10L, (present, given) -> given - present)).isEqualTo(9);
        assertThat(remote.get(keys.getFirst())).isEqualTo(9);
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> remote.merge(keys.getLast(), 10L, (present, given) -> given - present))
                .withMessageContaining("too large");
        assertThat(remote.containsKey(keys.getLast())).isFalse();
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> remote.compute(keys.getFirst(), (_, _) -> 10L));
        assertThat(remote.put(keys.getFirst(), 2L)).as("is not reserved any more").isFalse();
    }
}
