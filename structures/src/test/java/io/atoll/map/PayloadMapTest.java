package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.VariableCodecs;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.HeapUsage;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and values of variable size, over real shared memory. */
@Tag("slow")
class PayloadMapTest {

    private static final int RANKS = 3;

    record Line(String article, int count) {}

    record Order(String customer, Line first, long cents) {}

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

    private static Order order(int number) {
        return new Order("customer ".repeat(number % 7) + number, new Line("article " + number, number), number * 99L);
    }

    @Test
    void textsAndRecordsWithTextsJustWork() {
        List<DistributedMap<String, Order>> maps = worlds.maps("orders", String.class, Order.class, 1_000);
        for (int number = 0; number < 500; number++) {
            assertThat(maps.get(number % RANKS).putIfAbsent("order " + number, order(number))).isTrue();
            assertThat(maps.get(1).putIfAbsent("order " + number, order(0))).isFalse();
        }
        for (int number = 0; number < 500; number++) {
            String key = "order " + number;
            assertThat(maps.get(0).get(key)).isEqualTo(order(number));
            assertThat(maps.get(1).get(key, Promise.onlyReads())).isEqualTo(order(number));
            assertThat(maps.get(2).put(key, order(number + 1))).isFalse();
            assertThat(maps.get(1).replace(key, order(number + 1), order(number + 2))).isTrue();
            assertThat(maps.get(0).getAndPut(key, order(number + 3))).isEqualTo(order(number + 2));
            assertThat(maps.get(0).remove(key, order(number))).isFalse();
        }
        assertThat(maps.getFirst().size()).isEqualTo(500);
        Map<String, Order> visited = new HashMap<>();
        maps.getFirst().forEach((key, value) -> assertThat(visited.put(key, value)).isNull());
        assertThat(visited).hasSize(500).containsEntry("order 7", order(10));
        for (int number = 0; number < 500; number++) {
            assertThat(maps.get(number % RANKS).getAndRemove("order " + number)).isEqualTo(order(number + 3));
            assertThat(maps.get(0).containsKey("order " + number)).isFalse();
        }
        assertThat(maps.getLast().isEmpty()).isTrue();
    }

    @Test
    void fixedKeysHaveTextsAndTextsHaveFixedValues() {
        DistributedMap<Long, String> names = worlds.rank(0).map("names", Long.class, String.class).open();
        DistributedMap<String, Long> counts = worlds.rank(1).map("counts", String.class, Long.class).open();
        names.put(7L, "");
        assertThat(names.merge(7L, "seven", String::concat)).isEqualTo("seven");
        assertThat(names.computeIfAbsent(8L, key -> "eight")).isEqualTo("eight");
        IntStream.range(0, 1_000).forEach(count -> counts.merge("word " + count % 3, 1L, Long::sum));
        assertThat(counts.get("word 0")).isEqualTo(334);
        assertThat(counts.compute("word 0", (key, present) -> null)).isNull();
        assertThat(counts.size()).isEqualTo(2);
    }

    @Test
    void bytesAreKeysByTheirContentAndMayBeMany() {
        DistributedMap<byte[], byte[]> map = worlds.rank(0).map("bytes", byte[].class, byte[].class).open();
        for (int size : List.of(0, 1, 63, 64, 100_000, 1_000_000)) {
            map.put(new byte[size], new byte[size + 1]);
            assertThat(map.get(new byte[size])).isEqualTo(new byte[size + 1]);
            assertThat(map.replace(new byte[size], new byte[size + 1], new byte[]{1})).isTrue();
            assertThat(map.get(new byte[size])).containsExactly(1);
        }
    }

    @Test
    void whatHasNoRoomIsRefusedAndTheMapGoesOn() {
        DistributedMap<String, byte[]> map = worlds.rank(0).map("bytes", String.class, byte[].class).open();
        map.put("key", new byte[10]);
        assertThatThrownBy(() -> map.put("key", new byte[16 << 20])).isInstanceOf(SegmentFullException.class);
        assertThatThrownBy(() -> map.compute("key", (key, present) -> new byte[16 << 20]))
                .isInstanceOf(SegmentFullException.class);
        assertThatThrownBy(() -> map.putIfAbsent("other", new byte[16 << 20])).isInstanceOf(SegmentFullException.class);
        assertThat(map.get("key")).isEqualTo(new byte[10]);
        assertThat(map.put("key", new byte[11])).isFalse();
        assertThat(map.putIfAbsent("other", new byte[12])).isTrue();
    }

    @Test
    void keysOfOneHashAreToldApartByTheirBytes() {
        Participant self = worlds.rank(0).participant();
        Blocks blocks = Capacity.DEFAULT.open("map", self, worlds.rank(0).epochs(), true, "map",
                PayloadEntries.bucket().size, OnLoss.FAIL);
        var table = new BucketTable("map", self, blocks, PayloadEntries.bucket(), PayloadEntries.hashing(), null);
        var entries = new PayloadEntries<>(table,
                new Payloads("map", self, worlds.rank(0).epochs()),
                VariableCodecs.forType(String.class), VariableCodecs.forType(String.class), null) {
            @Override
            long wordOf(byte[] key) {
                return 7;
            }
        };
        var map = new DistributedMap<>("map", new Handle<>(() -> entries));
        for (String key : List.of("a", "bb", "ccc")) {
            assertThat(map.get(key)).isNull();
            assertThat(map.getAndRemove(key)).isNull();
            assertThat(map.getAndReplace(key, "-")).isNull();
            assertThat(map.putIfAbsent(key, key + "1")).isTrue();
            assertThat(map.putIfAbsent(key, key + "2")).isFalse();
            assertThat(map.put(key, key + "3")).isFalse();
            assertThat(map.compute(key, (same, present) -> present + "4")).isEqualTo(key + "34");
        }
        assertThat(map.size()).isEqualTo(3);
        assertThat(map.getAndRemove("bb")).isEqualTo("bb34");
        assertThat(map.get("a")).isEqualTo("a34");
        assertThat(map.get("bb")).isNull();
        assertThat(map.compute("bb", (key, present) -> present)).isNull();
        assertThat(map.get("ccc")).isEqualTo("ccc34");
        assertThat(map.getAndRemove("a")).isEqualTo("a34");
        assertThat(map.getAndRemove("ccc")).isEqualTo("ccc34");
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.putIfAbsent("a", "again")).isTrue();
    }

    @Test
    void objectsAreValuesAndNoKeys() {
        var objects = ObjectCodec.of(BigInteger.class, AllowedClasses.common());
        var texts = VariableCodecs.forType(String.class);
        var map = DistributedMap
                .builder("objects", texts, objects, worlds.rank(0)::participant, worlds.rank(0).epochs())
                .open();
        map.put("key", BigInteger.TEN);
        assertThat(map.replace("key", BigInteger.TEN, BigInteger.TWO)).isTrue();
        assertThat(map.get("key")).isEqualTo(BigInteger.TWO);
        assertThatIllegalArgumentException().isThrownBy(() -> DistributedMap
                .builder("keys", objects, texts, worlds.rank(0)::participant, worlds.rank(0).epochs()))
                .withMessageContaining("map=keys");
    }

    @Test
    void theSameNameWithOtherTypesShowsBoth() {
        worlds.rank(0).map("map", String.class, Line.class).open();
        assertThatThrownBy(() -> worlds.rank(1).map("map", String.class, String.class).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("values=Line(article:string,count:int)")
                .hasMessageContaining("values=string");
    }

    @Test
    void nothingLeaksWhoeverReplacesAndRemoves() throws Exception {
        int operations = 1_000_000;
        List<DistributedMap<String, String>> maps = worlds.maps("map", String.class, String.class, 1_000);
        long before = live(HeapUsage::objects);
        long bytesBefore = live(HeapUsage::objectBytes);
        Worlds.atOnce(RANKS * 2, thread -> () -> {
            DistributedMap<String, String> map = maps.get(thread % RANKS);
            SplittableRandom random = new SplittableRandom(thread);
            for (int count = 0; count < operations / (RANKS * 2); count++) {
                String key = "key " + random.nextInt(100);
                String value = "value ".repeat(random.nextInt(40)) + count;
                switch (random.nextInt(5)) {
                    case 0 -> map.getAndRemove(key);
                    case 1 -> map.putIfAbsent(key, value);
                    case 2 -> map.merge(key, value, (present, given) -> given);
                    default -> map.put(key, value);
                }
            }
            return null;
        });
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.rank(rank).epochs().clear();
        }
        assertThat(live(HeapUsage::objects) - before).isEqualTo(maps.getFirst().size());
        long bytes = live(HeapUsage::objectBytes);
        DistributedMap<String, String> anew = worlds.maps("anew", String.class, String.class, 1_000).getFirst();
        maps.getFirst().forEach(anew::put);
        assertThat(bytes - bytesBefore).as("what it takes to store it anew")
                .isEqualTo(live(HeapUsage::objectBytes) - bytes);
        maps.getFirst().clear();
        anew.clear();
        worlds.rank(0).epochs().clear();
        assertThat(live(HeapUsage::objects)).isEqualTo(before);
        assertThat(live(HeapUsage::objectBytes)).isEqualTo(bytesBefore);
    }

    /** Returns the sum over the heaps of all ranks. */
    private long live(ToLongFunction<HeapUsage> number) {
        return IntStream.range(0, RANKS)
                .mapToLong(rank -> number.applyAsLong(worlds.rank(0).participant().heap().usage(rank)))
                .sum();
    }
}
