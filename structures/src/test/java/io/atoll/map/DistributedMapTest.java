package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.codec.WideCodec;
import io.atoll.codec.WordCodec;
import io.atoll.fabric.Batch;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.TableFullException;
import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the map over real shared memory. */
@Tag("slow")
class DistributedMapTest {

    private static final int RANKS = 3;
    private static final int THREADS = 6; // two of each rank

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

    private <K, V> DistributedMap<K, V> open(Codec<K> keys, Codec<V> values, long capacity) {
        return DistributedMap.builder("map", keys, values, worlds.rank(0)::participant, worlds.rank(0).epochs())
                .fixedCapacity(capacity)
                .open();
    }

    // --- types ---

    record Point(int x, int y) {}

    record Place(UUID id, Point point, DayOfWeek day, double weight, boolean open) {}

    /** A type of keys or values, and different examples of it. */
    private record Type<T>(String name, Codec<T> codec, Function<Integer, T> example) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static <T> Type<T> type(Class<T> type, Function<Integer, T> example) {
        return new Type<>(type.getSimpleName(), Codecs.forType(type), example);
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) -7);
        bytes[seed % length] = (byte) (seed / length);
        return bytes;
    }

    private static UUID uuid(int seed) {
        return new UUID(seed % 3, seed / 3);
    }

    static final List<Type<?>> TYPES = List.of( //
            type(Long.class, seed -> (long) seed), //
            type(Integer.class, seed -> seed), //
            type(Double.class, seed -> seed / 3.0), //
            type(UUID.class, DistributedMapTest::uuid), //
            type(Instant.class, seed -> Instant.ofEpochSecond(seed / 2, seed % 2)), //
            type(Point.class, seed -> new Point(seed % 10, seed / 10)), //
            type(Place.class, seed -> new Place(uuid(seed), new Point(seed, -seed), DayOfWeek.of(seed % 7 + 1), seed,
                    seed % 2 == 0)), //
            new Type<>("byte[16]", Codecs.bytes(16), seed -> bytes(16, seed)), //
            new Type<>("byte[32]", Codecs.bytes(32), seed -> bytes(32, seed)), //
            new Type<>("words", new WideCodec(40), seed -> (long) seed));

    @ParameterizedTest
    @FieldSource("TYPES")
    <K> void everyTypeIsAKey(Type<K> type) {
        useAsKeysAndValues(type, TYPES.getFirst());
    }

    @ParameterizedTest
    @FieldSource("TYPES")
    <V> void everyTypeIsAValue(Type<V> type) {
        useAsKeysAndValues(TYPES.getFirst(), type);
    }

    /** Counts the words that it makes of keys, and the keys that it makes of words. */
    private static final class CountingCodec implements WordCodec<Long> {

        private int words;
        private int keys;

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public long toWord(Long key) {
            words++;
            return key;
        }

        @Override
        public Long fromWord(long word) {
            keys++;
            return word;
        }

        /** Returns this codec: one that tells failures apart is none of words. */
        @Override
        public Codec<Long> within(String structure) {
            return this;
        }
    }

    @Test
    void aFindTakesTheWordOfItsKeyOnceAndMakesNoKey() {
        var codec = new CountingCodec();
        DistributedMap<Long, Long> map = open(codec, Codecs.forType(Long.class), 400);
        for (long key = 0; key < 400; key++) {
            map.putIfAbsent(key, key);
        }
        codec.words = 0;
        for (long key = 0; key < 800; key++) {
            assertThat(map.get(key)).isEqualTo(key < 400 ? key : null);
        }
        assertThat(codec.words).isEqualTo(800);
        assertThat(codec.keys).isZero();
    }

    private <K, V> void useAsKeysAndValues(Type<K> keys, Type<V> values) {
        DistributedMap<K, V> map = open(keys.codec, values.codec, 400);
        for (int seed = 0; seed < 200; seed++) {
            assertThat(map.putIfAbsent(keys.example.apply(seed), values.example.apply(seed))).isTrue();
        }
        for (int seed = 0; seed < 200; seed++) {
            K key = keys.example.apply(seed);
            assertThat(map.containsKey(key)).isTrue();
            assertThat(map.putIfAbsent(key, values.example.apply(0))).isFalse();
            assertThat(map.get(key)).isEqualTo(values.example.apply(seed));
            assertThat(map.put(key, values.example.apply(seed + 1))).isFalse();
            assertThat(map.get(key)).isEqualTo(values.example.apply(seed + 1));
            assertThat(map.get(key, Promise.onlyReads())).isEqualTo(values.example.apply(seed + 1));
        }
        for (int seed = 0; seed < 200; seed += 2) {
            K key = keys.example.apply(seed);
            assertThat(map.getAndRemove(key)).isEqualTo(values.example.apply(seed + 1));
            assertThat(map.getAndRemove(key)).isNull();
            assertThat(map.get(key)).isNull();
            assertThat(map.get(key, Promise.onlyReads())).isNull();
            assertThat(map.containsKey(key)).isFalse();
        }
        assertThat(map.get(keys.example.apply(200))).as("never there").isNull();
        assertThat(map.size()).isEqualTo(100);
        assertThat(map.put(keys.example.apply(0), values.example.apply(7))).as("again").isTrue();
        assertThat(map.get(keys.example.apply(0))).isEqualTo(values.example.apply(7));
    }

    @Test
    void aHashOfOnesOwnMayBeAsWeakAsItLikes() {
        DistributedMap<Point, Long> map = worlds.rank(0)
                .map("weak", Point.class, Long.class)
                .capacity(1_500)
                .hash(point -> point.x & 1)
                .open();
        for (int seed = 0; seed < 500; seed++) {
            assertThat(map.putIfAbsent(new Point(seed, 1), (long) seed)).isTrue();
        }
        for (int seed = 0; seed < 500; seed++) {
            assertThat(map.get(new Point(seed, 1))).isEqualTo(seed);
            assertThat(map.get(new Point(seed, 2))).isNull();
        }
    }

    /** A hash that never changes, from a function that uses this thread's memory for another map's keys. */
    @Test
    void everyKeyIsFoundThoughItsHashLooksIntoAnotherMap() {
        DistributedMap<Point, Long> other = worlds.rank(0).map("other", Point.class, Long.class).open();
        DistributedMap<Point, Long> map = worlds.rank(0)
                .map("looking", Point.class, Long.class)
                .capacity(10)
                .hash(point -> {
                    assertThat(other.get(new Point(point.x + 1, 2))).isNull();
                    return point.x;
                })
                .open();
        for (int x = 0; x < 300; x++) {
            assertThat(map.putIfAbsent(new Point(x, 1), (long) x)).isTrue();
            assertThat(map.put(new Point(x, 1), 2L * x)).isFalse();
        }
        for (int x = 0; x < 300; x++) {
            assertThat(map.get(new Point(x, 1))).isEqualTo(2L * x);
            assertThat(map.containsKey(new Point(x, 2))).isFalse();
        }
        assertThat(map.size()).isEqualTo(300);
    }

    /** A value larger than the small buffer that a thread keeps. */
    private static final Codec<Long> LARGE = new Codec<>() {

        @Override
        public String name() {
            return "large";
        }

        @Override
        public int bytes() {
            return 2 * (int) Batch.SMALL_BUFFER_BYTES;
        }

        @Override
        public void encode(Long value, MemorySegment target, long position) {
            target.asSlice(position, bytes()).fill((byte) 0);
            target.set(ValueLayout.JAVA_LONG, position + bytes() - Long.BYTES, value);
        }

        @Override
        public Long decode(MemorySegment source, long position) {
            return source.get(ValueLayout.JAVA_LONG, position + bytes() - Long.BYTES);
        }
    };

    @Test
    void aVirtualThreadUsesLargeEntries() throws InterruptedException {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), LARGE, 20);
        List<Long> seen = new ArrayList<>();
        Thread thread = Thread.ofVirtual().start(() -> {
            for (long key = 0; key < 10; key++) {
                map.put(key, -key);
                seen.add(map.get(key));
            }
        });
        thread.join();
        assertThat(seen).isEqualTo(LongStream.range(0, 10).mapToObj(key -> -key).toList());
    }

    @Test
    void nullIsNeitherAKeyNorAValue() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 10);
        assertThatNullPointerException().isThrownBy(() -> map.get(nothing())).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.putIfAbsent(nothing(), 1L)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.put(1L, nothing())).withMessage("value");
        assertThat(map.size()).isZero();
    }

    /** As in a map of one heap. A new key would keep its bucket, if the map noticed only when it calls the function. */
    @Test
    void aFunctionThatIsNullIsRefusedWhateverTheKeyHas() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 10);
        map.put(1L, 1L);
        for (long key = 1; key <= 2; key++) {
            long each = key;
            assertThatNullPointerException().isThrownBy(() -> map.compute(each, nothing())).withMessage("function");
            assertThatNullPointerException().isThrownBy(() -> map.computeIfAbsent(each, nothing()))
                    .withMessage("function");
            assertThatNullPointerException().isThrownBy(() -> map.computeIfPresent(each, nothing()))
                    .withMessage("function");
            assertThatNullPointerException().isThrownBy(() -> map.merge(each, 1L, nothing())).withMessage("function");
        }
        assertThat(map.get(1L)).isEqualTo(1);
        assertThat(map.size()).isOne();
    }

    @SuppressWarnings("NullAway") // what a careless caller may do
    private static <T> T nothing() {
        return null;
    }

    @Test
    void whatIsTooLargeForABucketIsRefused() {
        assertThatThrownBy(() -> open(Codecs.forType(Long.class), Codecs.bytes(8_192), 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("map=map")
                .hasMessageEndingWith("largestBytes=" + BucketReader.LARGEST_BUCKET_BYTES);
        int largest = (int) (BucketReader.LARGEST_BUCKET_BYTES - 16 - 64) / 2;
        DistributedMap<Long, byte[]> map = open(Codecs.forType(Long.class), Codecs.bytes(largest / 8 * 8), 10);
        map.put(1L, bytes(largest / 8 * 8, 5));
        assertThat(map.get(1L)).isEqualTo(bytes(largest / 8 * 8, 5));
    }

    @Test
    void aCapacityThatNoMapCanHaveIsRefused() {
        for (long capacity : new long[]{0, -1, 1L << 60}) {
            assertThatThrownBy(() -> open(Codecs.forType(Long.class), Codecs.forType(Long.class), capacity))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("capacity=" + capacity);
        }
    }

    @Test
    void theSameNameWithOtherTypesShowsBoth() {
        worlds.rank(0).map("map", Long.class, Point.class).open();
        assertThatThrownBy(() -> worlds.rank(1).map("map", Long.class, UUID.class).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("values=Point(x:int,y:int)")
                .hasMessageContaining("values=uuid");
        assertThatThrownBy(() -> worlds.rank(1).map("map", Long.class, Point.class).hash(key -> key).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("hash=words")
                .hasMessageContaining("hash=own");
    }

    // --- blocks ---

    @Test
    void aSearchGoesOnAtTheBlocksBeginWhenItHasComeToItsEnd() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 3);
        Placement placement = Placement.forCapacity(RANKS, 3);
        List<Long> keys = LongStream.range(0, 10_000)
                .filter(key -> placement.owner(FixedHash.of(key)) == 1)
                .filter(key -> placement.home(FixedHash.of(key)) == placement.buckets() - 1)
                .limit(placement.buckets())
                .boxed()
                .toList();
        keys.forEach(key -> assertThat(map.putIfAbsent(key, -key)).isTrue());
        assertThat(keys).allSatisfy(key -> assertThat(map.get(key)).isEqualTo(-key));
    }

    @Test
    void aFullBlockRefusesNewKeysAndNothingElse() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 3);
        int buckets = (int) map.buckets() / RANKS;
        List<Long> keys = LongStream.range(0, 1_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), RANKS) == 1)
                .limit(buckets + 2)
                .boxed()
                .toList();
        keys.subList(0, buckets - 1).forEach(key -> assertThat(map.putIfAbsent(key, key)).isTrue());
        assertThat(map.get(keys.getLast())).as("a miss in a nearly full block").isNull();
        assertThat(map.putIfAbsent(keys.get(buckets - 1), keys.get(buckets - 1))).isTrue();
        for (long key : keys.subList(buckets, buckets + 2)) {
            assertThatThrownBy(() -> map.putIfAbsent(key, 1L)).isInstanceOf(TableFullException.class)
                    .hasMessageEndingWith("structure=map rank=1 buckets=" + buckets);
            assertThatThrownBy(() -> map.put(key, 1L)).isInstanceOf(TableFullException.class);
            assertThat(map.get(key)).isNull();
            assertThat(map.get(key, Promise.onlyReads())).isNull();
            assertThat(map.getAndRemove(key)).isNull();
        }
        for (long key : keys.subList(0, buckets)) {
            assertThat(map.get(key)).isEqualTo(key);
            assertThat(map.putIfAbsent(key, 1L)).isFalse();
            assertThat(map.put(key, key + 1)).isFalse();
            assertThat(map.getAndRemove(key)).isEqualTo(key + 1);
            assertThat(map.putIfAbsent(key, key)).as("again").isTrue();
        }
        assertThat(map.size()).isEqualTo(buckets);
    }

    // --- merging ---

    @Test
    void aMergeReturnsWhatTheKeyHasThen() {
        DistributedMap<Long, Point> map = open(Codecs.forType(Long.class), Codecs.forType(Point.class), 64);
        assertThat(map.merge(7L, new Point(1, 2), (present, given) -> new Point(present.x, given.y)))
                .isEqualTo(new Point(1, 2));
        assertThat(map.merge(7L, new Point(3, 4), (present, given) -> new Point(present.x, given.y)))
                .isEqualTo(new Point(1, 4))
                .isEqualTo(map.get(7L));
    }

    @Test
    void whatCombinesMayUseTheMap() {
        Codec<Long> longs = Codecs.forType(Long.class);
        DistributedMap<Long, Long> map = open(longs, longs, 64);
        map.put(1L, 10L);
        assertThat(map.merge(1L, 5L, (present, given) -> {
            LongStream.range(0, 20).forEach(key -> map.merge(2 + key, 1L, Long::sum));
            return present + given;
        })).isEqualTo(15);
        assertThat(map.get(1L)).isEqualTo(15);
        assertThat(map.size()).isEqualTo(21);
    }

    @Test
    void aMergeThatFailsLeavesTheEntryAsItWas() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 64);
        map.put(1L, 10L);
        assertThatThrownBy(() -> map.merge(1L, 5L, (present, given) -> Math.floorDiv(present, 0L)))
                .isInstanceOf(ArithmeticException.class);
        assertThat(map.get(1L)).isEqualTo(10);
        map.put(1L, 11L);
        assertThat(map.get(1L)).isEqualTo(11);
    }

    // --- many threads of many ranks ---

    @Test
    void ofManyWhoInsertAKeyExactlyOneIsToldThatItWasNew() throws Exception {
        List<DistributedMap<UUID, Point>> maps = worlds.maps("map", UUID.class, Point.class, 10_000);
        List<Integer> won = Worlds.atOnce(THREADS, thread -> () -> (int) IntStream.range(0, 10_000)
                .filter(seed -> maps.get(thread % RANKS).putIfAbsent(uuid(seed), new Point(seed, thread)))
                .count());
        assertThat(won.stream().mapToInt(count -> count).sum()).isEqualTo(10_000);
        int[] found = new int[THREADS];
        for (int seed = 0; seed < 10_000; seed++) {
            Point point = maps.getLast().get(uuid(seed));
            assertThat(point).isNotNull().extracting(Point::x).isEqualTo(seed);
            found[point.y]++;
        }
        assertThat(IntStream.of(found).boxed()).isEqualTo(won);
    }

    @Test
    void aWideValueIsNeverTornWhileOthersReplaceItAndRemoveIt() throws Exception {
        List<DistributedMap<Long, Long>> maps = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            maps.add(DistributedMap
                    .builder("wide", new WideCodec(2), new WideCodec(50), worlds.rank(rank)::participant,
                            worlds.rank(rank).epochs())
                    .fixedCapacity(10)
                    .open());
        }
        List<Integer> counts = Worlds.atOnce(THREADS, thread -> () -> {
            DistributedMap<Long, Long> map = maps.get(thread % RANKS);
            SplittableRandom random = new SplittableRandom(thread);
            int found = 0;
            for (int count = 0; count < 30_000; count++) {
                long key = random.nextInt(2);
                switch (random.nextInt(10)) {
                    case 0 -> map.getAndRemove(key);
                    case 1 -> map.putIfAbsent(key, random.nextLong());
                    case 2, 3, 4 -> map.put(key, random.nextLong());
                    default -> found += map.get(key) == null ? 0 : 1;
                }
            }
            return found;
        });
        assertThat(counts).as("found, each decoded and so compared word by word").allMatch(count -> count > 1_000);
    }

    @Test
    void mergesCountExactlyWhoeverElseMergesAndRemoves() throws Exception {
        List<DistributedMap<Long, Long>> maps = worlds.maps("counts", Long.class, Long.class, 64);
        int merges = 5_000;
        List<Long> removed = Worlds.atOnce(THREADS, thread -> () -> {
            DistributedMap<Long, Long> map = maps.get(thread % RANKS);
            long taken = 0;
            for (long count = 0; count < merges; count++) {
                map.merge(count % 3, 1L, Long::sum);
                if (count % 100 == thread) {
                    taken += Objects.requireNonNullElse(map.getAndRemove(count % 3), 0L);
                }
            }
            return taken;
        });
        long[] counted = {removed.stream().mapToLong(Long::longValue).sum()};
        assertThat(counted[0]).isPositive();
        maps.getFirst().forEach((key, value) -> counted[0] += value);
        assertThat(counted[0]).isEqualTo(THREADS * merges);
    }

    // --- iteration ---

    @Test
    void iterationVisitsEveryEntryOnceAndTheLocalOneThoseOfTheRank() {
        List<DistributedMap<UUID, Point>> maps = worlds.maps("map", UUID.class, Point.class, 3_000);
        Map<UUID, Point> expected = new HashMap<>();
        for (int seed = 0; seed < 3_000; seed++) {
            maps.getFirst().putIfAbsent(uuid(seed), new Point(seed, 0));
            expected.put(uuid(seed), new Point(seed, 0));
        }
        maps.getFirst().getAndRemove(uuid(7));
        expected.remove(uuid(7));
        Map<UUID, Point> all = new HashMap<>();
        maps.getLast().forEach((key, value) -> assertThat(all.put(key, value)).isNull());
        assertThat(all).isEqualTo(expected);
        assertThat(maps.getFirst().size()).isEqualTo(expected.size());
        Map<UUID, Point> byRank = new HashMap<>();
        maps.forEach(map -> {
            int before = byRank.size();
            map.forEachLocal((key, value) -> assertThat(byRank.put(key, value)).isNull());
            assertThat(byRank.size() - before).as("a share").isBetween(800, 1_200);
        });
        assertThat(byRank).isEqualTo(expected);
    }

    @Test
    void aVisitorMayUseTheMap() {
        DistributedMap<Long, Long> map = open(Codecs.forType(Long.class), Codecs.forType(Long.class), 3_000);
        LongStream.range(0, 3_000).forEach(key -> map.putIfAbsent(key, key));
        map.forEach((key, value) -> {
            assertThat(map.get(key)).isEqualTo(value);
            assertThat(map.getAndRemove(key)).isEqualTo(key);
        });
        assertThat(map.size()).isZero();
    }

    @Test
    void whatNobodyChangesIsVisitedOnceWhateverOthersDo() throws Exception {
        List<DistributedMap<Long, Point>> maps = worlds.maps("map", Long.class, Point.class, 3_000);
        LongStream.range(0, 1_000).forEach(key -> maps.getFirst().putIfAbsent(key, new Point((int) key, (int) key)));
        AtomicBoolean done = new AtomicBoolean();
        Worlds.atOnce(RANKS, rank -> () -> {
            DistributedMap<Long, Point> map = maps.get(rank);
            for (int round = 0; rank > 0 && !done.get(); round++) {
                int key = 1_000 * rank + round % 1_000;
                switch (round / 1_000 % 3) {
                    case 0 -> map.putIfAbsent((long) key, new Point(key, key));
                    case 1 -> map.put((long) key, new Point(key, key));
                    default -> map.getAndRemove((long) key);
                }
            }
            for (int round = 0; rank == 0 && round < 50; round++) {
                Map<Long, Point> visited = new HashMap<>();
                map.forEach((key, value) -> assertThat(visited.put(key, value)).isNull());
                assertThat(visited).allSatisfy(
                        (key, value) -> assertThat(value).isEqualTo(new Point(key.intValue(), key.intValue())));
                assertThat(visited.keySet().stream().filter(key -> key < 1_000)).hasSize(1_000);
            }
            done.set(true);
            return null;
        });
    }
}
