package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.StructureUse.KEYS;
import static io.atoll.fabric.rdma.StructureUse.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.rdma.StructureUse.Point;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.promise.Promise;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Uses of maps and filters. */
final class MapUses {

    private MapUses() {}

    static void longMap(World world) throws InterruptedException {
        LongLongMap counts = world.longMap("counts").capacity(1_000).open();
        for (long key = 0; key < KEYS; key++) {
            counts.increment(key, 1 + world.rank());
        }
        world.barrier();
        long all = LongStream.rangeClosed(1, world.size()).sum();
        for (long key = 0; key < KEYS; key++) {
            assertThat(counts.find(key, NONE)).isEqualTo(all);
        }
        world.barrier();
        for (long key = world.rank(); key < KEYS; key += world.size()) {
            assertThat(counts.remove(key, NONE)).isEqualTo(all);
        }
        world.barrier();
        assertThat(LongStream.range(0, KEYS).filter(counts::contains)).isEmpty();
    }

    /** Grows the map to many times its first capacity: blocks move while other ranks count. */
    static void growth(World world) throws InterruptedException {
        LongLongMap counts = world.longMap("growing").capacity(16).open();
        long before = counts.buckets();
        world.barrier();
        for (long key = 0; key < 3 * KEYS; key++) {
            counts.increment(key, 1 + world.rank());
        }
        world.barrier();
        long all = LongStream.rangeClosed(1, world.size()).sum();
        assertThat(counts.buckets()).isGreaterThan(before);
        for (long key = world.rank(); key < 3 * KEYS; key += world.size()) {
            assertThat(counts.find(key, NONE)).isEqualTo(all);
        }
    }

    static void map(World world) throws InterruptedException {
        DistributedMap<Long, Point> points = world.map("points", Long.class, Point.class).capacity(1_000).open();
        long[] winners = new long[KEYS];
        for (int key = 0; key < KEYS; key++) {
            winners[key] = points.insert((long) key, Point.of(key, 1)) ? 1 : 0;
        }
        world.allReduce(winners, Long::sum);
        assertThat(winners).containsOnly(1);
        for (long key = world.rank(); key < KEYS; key += world.size()) {
            points.put(key, Point.of(key, 2));
        }
        world.barrier();
        for (long key = 0; key < KEYS; key++) {
            assertThat(points.find(key)).isEqualTo(Point.of(key, 2));
        }
    }

    /** Texts lie beside the buckets, and are freed when others take their place. */
    static void texts(World world) throws InterruptedException {
        DistributedMap<String, String> texts = world.map("of texts", String.class, String.class).capacity(200).open();
        for (int key = 0; key < KEYS; key++) {
            texts.merge("key " + key, "x", String::concat);
        }
        world.barrier();
        String all = "x".repeat(world.size());
        for (int key = world.rank(); key < KEYS; key += world.size()) {
            assertThat(texts.find("key " + key)).isEqualTo(all);
            assertThat(texts.remove("key " + key)).isEqualTo(all);
        }
        world.barrier();
        assertThat(IntStream.range(0, KEYS).filter(key -> texts.contains("key " + key))).isEmpty();
    }

    static void bulk(World world) throws InterruptedException {
        DistributedMap<Long, Point> points = world.map("in bulk", Long.class, Point.class).capacity(1_000).open();
        try (HashMapBuffer<Long, Point> buffer = points.buffer(200, 20)) {
            for (long key = world.rank(); key < KEYS; key += world.size()) {
                buffer.insert(key, Point.of(key, 5));
            }
            buffer.flush();
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(points.find(key)).isEqualTo(Point.of(key, 5));
        }
        textsInBulk(world);
    }

    private static void textsInBulk(World world) throws InterruptedException {
        DistributedMap<Long, String> texts = world.map("texts in bulk", Long.class, String.class).capacity(100).open();
        for (long key = 0; key < KEYS; key++) {
            if (texts.owner(key) == world.rank() && key % 2 == 0) {
                assertThat(texts.insert(key, "x".repeat((int) key % 50), Promise.local())).isTrue();
            }
        }
        world.barrier();
        try (HashMapBuffer<Long, String> buffer = texts.buffer(200, 20)) {
            for (long key = world.rank(); key < KEYS; key += world.size()) {
                buffer.insert(key, "x".repeat((int) key % 50));
            }
            buffer.flush();
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(texts.find(key, Promise.onlyFinds())).isEqualTo("x".repeat((int) key % 50));
        }
        world.barrier();
    }

    static void filters(World world) throws InterruptedException {
        BloomFilter<String> texts = world.filter("texts", String.class)
                .expectedElements(10_000)
                .falsePositiveRate(0.001)
                .open();
        LongBloomFilter longs = world.longFilter("longs").expectedElements(10_000).falsePositiveRate(0.001).open();
        long[] added = new long[2];
        for (int element = 0; element < KEYS; element++) {
            added[0] += texts.add("element " + element) ? 1 : 0;
            added[1] += longs.add(element) ? 1 : 0;
        }
        world.allReduce(added, Long::sum);
        for (long each : added) {
            assertThat(each).as("new to one rank only").isBetween(KEYS - 3L, (long) KEYS);
        }
        for (int element = 0; element < KEYS; element++) {
            assertThat(texts.mightContain("element " + element)).isTrue();
            assertThat(longs.mightContain(element)).isTrue();
        }
    }

    static void filtersInBulk(World world) throws InterruptedException {
        LongBloomFilter longs = world.longFilter("longs in bulk").expectedElements(10_000).open();
        long[] elements = LongStream.range(0, KEYS).toArray();
        long[] added = {0};
        for (boolean isNew : longs.addAll(elements)) {
            added[0] += isNew ? 1 : 0;
        }
        world.allReduce(added, Long::sum);
        assertThat(added[0]).as("new to one rank only").isBetween(KEYS - 3L, (long) KEYS);
        assertThat(longs.mightContainAll(elements)).containsOnly(true);
    }
}
