package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.failure.TableFullException;
import io.atoll.promise.Promise;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the map over real shared memory. */
class LongLongMapTest {

    private static final int RANKS = 3;
    private static final int THREADS = 6; // two of each rank
    private static final long SMALL = 3; // the smallest blocks

    @TempDir
    Path folder;

    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, RANKS);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private LongLongMap open(String name, long capacity) {
        return worlds.longMaps(name, capacity).getFirst();
    }

    /** Returns keys of one rank, in their order. */
    private static List<Long> keysOf(int owner, int count) {
        return LongStream.range(0, 1_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), RANKS) == owner)
                .limit(count)
                .boxed()
                .toList();
    }

    // --- one thread ---

    @Test
    void aKeyHasTheValueThatItWasGivenLast() {
        LongLongMap map = open("map", 1_000);
        for (long key : new long[]{0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(map.getOrDefault(key, 99)).isEqualTo(99);
            assertThat(map.containsKey(key)).isFalse();
            assertThat(map.putIfAbsent(key, 5)).isTrue();
            assertThat(map.containsKey(key)).isTrue();
            assertThat(map.putIfAbsent(key, 6)).isFalse();
            assertThat(map.getOrDefault(key, 99)).isEqualTo(5);
            assertThat(map.put(key, 7)).isFalse();
            assertThat(map.addAndGet(key, -10)).isEqualTo(-3);
            assertThat(map.getAndRemove(key, 99)).isEqualTo(-3);
            assertThat(map.getAndRemove(key, 99)).isEqualTo(99);
            assertThat(map.getOrDefault(key, 99)).isEqualTo(99);
            assertThat(map.containsKey(key)).isFalse();
            assertThat(map.addAndGet(key, 4)).isEqualTo(4);
            assertThat(map.getAndRemove(key, 99)).isEqualTo(4);
            assertThat(map.getAndPut(key, 6, 99)).isEqualTo(99);
            assertThat(map.getAndPut(key, -6, 99)).isEqualTo(6);
            assertThat(map.getAndRemove(key, 99)).isEqualTo(-6);
            assertThat(map.put(key, 8)).isTrue();
            assertThat(map.getOrDefault(key, 99, Promise.onlyReads())).isEqualTo(8);
        }
        assertThat(map.size()).isEqualTo(5);
    }

    @Test
    void aSearchGoesOnAtTheBlocksBeginWhenItHasComeToItsEnd() {
        List<LongLongMap> maps = worlds.longMaps("map", SMALL);
        Placement placement = Placement.forCapacity(RANKS, SMALL);
        List<Long> keys = LongStream.range(0, 10_000)
                .filter(key -> placement.owner(FixedHash.of(key)) == 1)
                .filter(key -> placement.home(FixedHash.of(key)) == placement.buckets() - 1)
                .limit(placement.buckets())
                .boxed()
                .toList();
        for (long key : keys) {
            assertThat(maps.getFirst().putIfAbsent(key, -key)).isTrue();
        }
        for (LongLongMap map : maps) {
            assertThat(keys).allSatisfy(key -> assertThat(map.getOrDefault(key, 1)).isEqualTo(-key));
        }
    }

    @Test
    void aFullBlockRefusesNewKeysAndNothingElse() {
        List<LongLongMap> maps = worlds.fixedLongMaps("map", SMALL);
        LongLongMap map = maps.getFirst();
        int buckets = (int) map.buckets() / RANKS;
        List<Long> keys = keysOf(1, buckets + 2);
        for (int index = 0; index < buckets; index++) {
            assertThat(map.putIfAbsent(keys.get(index), index)).isTrue();
        }
        for (long key : keys.subList(buckets, buckets + 2)) {
            assertThatThrownBy(() -> map.putIfAbsent(key, 1)).isInstanceOfSatisfying(TableFullException.class,
                    full -> assertThat(full.rank()).isEqualTo(1))
                    .hasMessageEndingWith("structure=map rank=1 buckets=" + buckets);
            assertThatThrownBy(() -> map.put(key, 1)).isInstanceOf(TableFullException.class);
            assertThatThrownBy(() -> map.getAndPut(key, 1, -1)).isInstanceOf(TableFullException.class);
            assertThatThrownBy(() -> map.addAndGet(key, 1)).isInstanceOf(TableFullException.class);
            assertThat(map.getOrDefault(key, -1)).as("a miss ends").isEqualTo(-1);
            assertThat(map.getAndRemove(key, -1)).isEqualTo(-1);
        }
        for (int index = 0; index < buckets; index++) {
            long key = keys.get(index);
            assertThat(maps.getLast().getOrDefault(key, -1)).isEqualTo(index);
            assertThat(map.putIfAbsent(key, 1)).isFalse();
            assertThat(map.getAndPut(key, -index, -1)).isEqualTo(index);
            assertThat(map.put(key, index + 1)).isFalse();
            assertThat(map.addAndGet(key, 1)).isEqualTo(index + 2);
            assertThat(map.getAndRemove(key, -1)).isEqualTo(index + 2);
            assertThat(map.putIfAbsent(key, index)).as("again").isTrue();
        }
        assertThat(map.size()).isEqualTo(buckets);
        assertThat(map.putIfAbsent(keysOf(2, 1).getFirst(), 1)).as("at another rank").isTrue();
    }

    @Test
    void aMissInANearlyFullBlockEnds() {
        LongLongMap map = open("map", SMALL);
        int buckets = (int) map.buckets() / RANKS;
        List<Long> keys = keysOf(1, buckets + 100);
        keys.subList(0, buckets - 1).forEach(key -> map.putIfAbsent(key, 1));
        keys.subList(buckets - 1, buckets + 100).forEach(key -> assertThat(map.getOrDefault(key, -1)).isEqualTo(-1));
        assertThat(map.putIfAbsent(keys.get(buckets - 1), 1)).as("the last bucket").isTrue();
    }

    // --- ranges ---

    @Test
    void valuesOutOfRangeAreRefused() {
        LongLongMap map = open("map", SMALL);
        for (long value : new long[]{LongLongMap.SMALLEST_VALUE, LongLongMap.LARGEST_VALUE}) {
            map.put(7, value);
            assertThat(map.getOrDefault(7, 0)).isEqualTo(value);
        }
        for (long value : new long[]{LongLongMap.SMALLEST_VALUE - 1, LongLongMap.LARGEST_VALUE + 1, Long.MIN_VALUE,
            Long.MAX_VALUE}) {
            assertThatThrownBy(() -> map.putIfAbsent(7, value)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("value=" + value);
            assertThatThrownBy(() -> map.put(7, value)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("value=" + value);
            assertThatThrownBy(() -> map.getAndPut(7, value, 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("value=" + value);
        }
        assertThat(map.getOrDefault(7, 0)).isEqualTo(LongLongMap.LARGEST_VALUE);
    }

    @Test
    void additionsThatAreTooLargeAreRefused() {
        LongLongMap map = open("map", SMALL);
        assertThat(map.addAndGet(7, LongLongMap.LARGEST_DELTA)).isEqualTo(1L << 47);
        assertThat(map.addAndGet(7, -LongLongMap.LARGEST_DELTA)).isZero();
        for (long delta : new long[]{LongLongMap.LARGEST_DELTA + 1, -LongLongMap.LARGEST_DELTA - 1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> map.addAndGet(7, delta)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("delta=" + delta);
        }
        assertThat(map.getOrDefault(7, -1)).isZero();
    }

    @Test
    void aSumThatLeavesTheRangeIsRefusedAndNothingIsAdded() {
        LongLongMap map = open("map", SMALL);
        map.put(7, LongLongMap.LARGEST_VALUE - 1);
        assertThat(map.addAndGet(7, 1)).isEqualTo(LongLongMap.LARGEST_VALUE);
        assertThatThrownBy(() -> map.addAndGet(7, 1)).isInstanceOf(ArithmeticException.class)
                .hasMessageEndingWith("key=7 value=" + LongLongMap.LARGEST_VALUE + " delta=1");
        assertThat(map.getOrDefault(7, 0)).isEqualTo(LongLongMap.LARGEST_VALUE);
        assertThat(map.addAndGet(7, 0)).isEqualTo(LongLongMap.LARGEST_VALUE);
        assertThat(map.addAndGet(7, -1)).isEqualTo(LongLongMap.LARGEST_VALUE - 1);
        map.put(7, LongLongMap.SMALLEST_VALUE);
        assertThatThrownBy(() -> map.addAndGet(7, -1)).isInstanceOf(ArithmeticException.class);
        assertThat(map.addAndGet(7, 1)).isEqualTo(LongLongMap.SMALLEST_VALUE + 1);
    }

    @Test
    void sumsThatRaceEachOtherAtTheEndOfTheRangeAreExact() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", SMALL);
        long start = LongLongMap.LARGEST_VALUE - 3 * LongLongMap.LARGEST_DELTA;
        for (int round = 0; round < 200; round++) {
            maps.getFirst().put(7, start);
            List<Integer> accepted = Worlds.atOnce(THREADS, thread -> () -> {
                int count = 0;
                try {
                    while (true) {
                        maps.get(thread % RANKS).addAndGet(7, LongLongMap.LARGEST_DELTA);
                        count++;
                    }
                } catch (ArithmeticException atTheEnd) {
                    return count;
                }
            });
            long sum = accepted.stream().mapToLong(count -> count * LongLongMap.LARGEST_DELTA).sum();
            assertThat(maps.getFirst().getOrDefault(7, 0)).isEqualTo(start + sum)
                    .isLessThanOrEqualTo(LongLongMap.LARGEST_VALUE + THREADS * LongLongMap.LARGEST_DELTA);
        }
    }

    @Test
    void aCapacityThatNoMapCanHaveIsRefused() {
        for (long capacity : new long[]{0, -1, 1L << 60}) {
            assertThatThrownBy(() -> worlds.rank(0).longMap("bad").capacity(capacity).open())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("capacity=" + capacity);
        }
    }

    // --- many threads of many ranks ---

    @Test
    void ofManyWhoInsertAKeyExactlyOneIsToldThatItWasNew() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", 20_000);
        List<List<Long>> won = Worlds.atOnce(THREADS, thread -> () -> {
            List<Long> keys = new ArrayList<>();
            for (long key = 0; key < 20_000; key++) {
                if (maps.get(thread % RANKS).putIfAbsent(key, thread)) {
                    keys.add(key);
                }
            }
            return keys;
        });
        assertThat(won.stream().mapToInt(List::size).sum()).isEqualTo(20_000);
        for (int thread = 0; thread < THREADS; thread++) {
            for (long key : won.get(thread)) {
                assertThat(maps.getLast().getOrDefault(key, -1)).isEqualTo(thread);
            }
        }
        assertThat(maps.getFirst().size()).isEqualTo(20_000);
    }

    @Test
    void additionsAreExactWhileOthersRemoveInsertAndReplaceTheKeys() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", 100);
        long[] balance = new long[THREADS]; // what each thread has added, less what it has taken out
        Worlds.atOnce(THREADS, thread -> () -> {
            LongLongMap map = maps.get(thread % RANKS);
            SplittableRandom random = new SplittableRandom(thread);
            for (int count = 0; count < 100_000; count++) {
                long key = random.nextInt(4);
                long value = random.nextInt(1_000);
                switch (random.nextInt(8)) {
                    case 0 -> balance[thread] -= map.getAndRemove(key, 0);
                    case 1 -> balance[thread] += map.putIfAbsent(key, value) ? value : 0;
                    case 2 -> balance[thread] += value - map.getAndPut(key, value, 0);
                    default -> {
                        map.addAndGet(key, value);
                        balance[thread] += value;
                    }
                }
            }
            return null;
        });
        long[] left = new long[1];
        maps.getFirst().forEach((key, value) -> left[0] += value);
        assertThat(left[0]).isEqualTo(LongStream.of(balance).sum());
    }

    // --- iteration ---

    @Test
    void iterationVisitsEveryEntryOnceAndTheLocalOneThoseOfTheRank() {
        List<LongLongMap> maps = worlds.longMaps("map", 20_000);
        LongStream.range(-10_000, 10_000).forEach(key -> maps.getFirst().putIfAbsent(key, key * 3));
        LongStream.range(0, 1_000).forEach(key -> maps.getFirst().getAndRemove(key, 0));
        Map<Long, Long> all = new HashMap<>();
        maps.getLast().forEach((key, value) -> assertThat(all.put(key, value)).isNull());
        assertThat(all).hasSize(19_000).allSatisfy((key, value) -> assertThat(value).isEqualTo(key * 3));
        assertThat(maps.getFirst().size()).isEqualTo(19_000);
        Map<Long, Long> byRank = new HashMap<>();
        for (int rank = 0; rank < RANKS; rank++) {
            int owner = rank;
            maps.get(rank).forEachLocal((key, value) -> {
                assertThat(KeyHash.rank(FixedHash.of(key), RANKS)).isEqualTo(owner);
                assertThat(byRank.put(key, value)).isNull();
            });
        }
        assertThat(byRank).isEqualTo(all);
    }

    @Test
    void aVisitorMayUseTheMap() {
        LongLongMap map = open("map", 10_000);
        LongStream.range(0, 10_000).forEach(key -> map.putIfAbsent(key, key));
        map.forEach((key, value) -> {
            assertThat(map.getOrDefault(key, -1)).isEqualTo(value);
            map.getAndRemove(key, -1);
        });
        assertThat(map.size()).isZero();
    }

    @Test
    void whatNobodyChangesIsVisitedOnceWhateverOthersDo() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", 20_000);
        LongStream.range(0, 5_000).forEach(key -> maps.getFirst().putIfAbsent(key, key));
        AtomicBoolean done = new AtomicBoolean();
        Worlds.atOnce(RANKS, rank -> () -> {
            LongLongMap map = maps.get(rank);
            for (long round = 0; rank > 0 && !done.get(); round++) {
                long key = 5_000 * rank + round % 5_000;
                if (!map.putIfAbsent(key, key)) {
                    map.getAndRemove(key, 0);
                }
            }
            for (int round = 0; rank == 0 && round < 100; round++) {
                Map<Long, Long> visited = new HashMap<>();
                map.forEach((key, value) -> assertThat(visited.put(key, value)).isNull());
                assertThat(visited).allSatisfy((key, value) -> assertThat(value).isEqualTo(key));
                assertThat(visited.keySet().stream().filter(key -> key < 5_000)).hasSize(5_000);
            }
            done.set(true);
            return null;
        });
    }

    @Test
    void severalKeysAreFoundAtOnce() {
        List<LongLongMap> maps = worlds.longMaps("several", 10);
        long[] keys = LongStream.range(-1_000, 1_000).toArray();
        for (long key : keys) {
            maps.getFirst().putIfAbsent(key, 2 * key);
        }
        assertThat(maps.getLast().getAll(keys, 1)).isEqualTo(LongStream.of(keys).map(key -> 2 * key).toArray());
        assertThat(maps.getLast().getAll(new long[]{2_000, 3, 3, 0}, 1)).containsExactly(1, 6, 6, 0);
        assertThat(maps.getLast().getAll(new long[0], 1)).isEmpty();
    }

    @Test
    void manyKeysArePutWhileTheMapGrows() {
        List<LongLongMap> maps = worlds.longMaps("many", 10);
        long[] keys = LongStream.range(0, 3_000).toArray();
        maps.getFirst().putAll(keys, LongStream.of(keys).map(key -> 2 * key).toArray());
        assertThat(maps.getLast().size()).isEqualTo(keys.length);
        maps.getLast().putAll(keys, keys);
        assertThat(maps.get(1).getAll(keys, -1)).isEqualTo(keys);
        maps.getFirst().putAll(new long[0], new long[0]);
    }

    @Test
    void keysThatHaveNoValueOrOneOutOfRangeAreNotPut() {
        LongLongMap map = worlds.longMaps("refused", 10).getFirst();
        assertThatIllegalArgumentException().isThrownBy(() -> map.putAll(new long[]{1, 2}, new long[]{1}))
                .withMessage("each key has a value: keys=2 values=1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> map.putAll(new long[]{1, 2}, new long[]{1, LongLongMap.LARGEST_VALUE + 1}));
        assertThat(map.size()).isZero();
    }

    @Test
    void aValueIsExchangedIfItIsTheExpectedOne() {
        LongLongMap map = worlds.longMaps("exchanged", 10).getFirst();
        assertThat(map.replace(1, 0, 5)).isFalse();
        map.put(1, 4);
        assertThat(map.replace(1, 5, 6)).isFalse();
        assertThat(map.replace(1, 4, 5)).isTrue();
        assertThat(map.getOrDefault(1, 0)).isEqualTo(5);
        map.getAndRemove(1, 0);
        assertThat(map.replace(1, 5, 6)).isFalse();
    }

    @Test
    void aMapThatIsClearedIsEmpty() {
        LongLongMap map = worlds.longMaps("cleared", 10).getFirst();
        for (long key = 0; key < 1_000; key++) {
            map.putIfAbsent(key, key);
        }
        map.clear();
        assertThat(map.size()).isZero();
        assertThat(map.putIfAbsent(7, 8)).isTrue();
    }
}
