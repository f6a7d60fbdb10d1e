package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.World;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.world.NamedStructure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps that grow, in segments without room for the block that they were to begin with. */
class FirstBlockTest {

    private static final int RANKS = 2;
    private static final long SEGMENT_BYTES = 4 << 20;
    private static final long KEYS = 1_000;

    @TempDir
    Path folder;

    private Worlds worlds;
    private World world;
    private Heap heap;
    private final List<List<Long>> fillers = new ArrayList<>();

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, RANKS, SEGMENT_BYTES);
        world = worlds.rank(0);
        heap = world.participant().heap();
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    /** Leaves at most so many bytes in each segment. */
    private void fill(long leftBytes) {
        for (int rank = 0; rank < RANKS; rank++) {
            List<Long> objects = new ArrayList<>();
            for (long bytes = 1 << 20; bytes >= 32; bytes /= 2) {
                while (heap.usage(rank).freeBytes() >= leftBytes + bytes && takes(rank, bytes, objects)) {
                    // Repeats until there is no room for another object of that size.
                }
            }
            fillers.add(objects);
        }
    }

    private boolean takes(int rank, long bytes, List<Long> objects) {
        try {
            return objects.add(heap.allocate(rank, bytes));
        } catch (SegmentFullException full) {
            return false;
        }
    }

    private void giveBackWhatFills() {
        for (int rank = 0; rank < RANKS; rank++) {
            for (long object : fillers.get(rank)) {
                heap.free(rank, object);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1 << 20, 1 << 30, 1L << 39})
    void aMapWhoseFirstBlockFitsIntoNoSegmentIsRefusedAndKeepsNothing(long capacity) {
        world.longMap("small").capacity(1).open().put(1, 1); // what all maps share is there
        long free = heap.usage(0).freeBytes();
        assertThatExceptionOfType(SegmentFullException.class)
                .isThrownBy(() -> world.longMap("map").capacity(capacity).open())
                .withMessageStartingWith("the segment is too small even if it is empty,"
                        + " make it larger or ask for less, such as a lower capacity: structure=map")
                .satisfies(full -> assertThat(full.askedBytes()).isGreaterThan(SEGMENT_BYTES));
        LongLongMap lazily = world.longMap("map").capacity(capacity).openLazily();
        assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> lazily.put(1, 1));
        assertThatExceptionOfType(SegmentFullException.class)
                .isThrownBy(() -> world.map("map", Long.class, String.class).capacity(capacity).open());
        assertThat(heap.usage(0).freeBytes()).isEqualTo(free);
        assertThat(world.structures()).extracting(NamedStructure::name).doesNotContain("map");
        LongLongMap map = worlds.rank(1).longMap("map").capacity(KEYS).open();
        map.put(1, 2);
        assertThat(world.longMap("map").capacity(KEYS).open().getOrDefault(1, 0)).isEqualTo(2);
    }

    @Test
    void aMapBeginsSmallerWhereThereIsNoRoomForItsFirstBlockAndGrowsWhenThereIs() {
        List<LongLongMap> maps = worlds.longMaps("map", 1 << 17);
        fill(SEGMENT_BYTES / 4);
        LongLongMap map = maps.getFirst();
        LongStream.range(0, KEYS).forEach(key -> map.put(key, key));
        long buckets = map.buckets();
        assertThat(buckets).isLessThan(1 << 17);
        assertThat(maps.getLast().buckets()).isEqualTo(buckets);
        giveBackWhatFills();
        LongStream.range(0, buckets).forEach(key -> map.put(key, key));
        assertThat(map.buckets()).isGreaterThan(buckets);
        assertThat(maps.getLast().size()).isEqualTo(buckets);
    }

    @Test
    void aMapOfObjectsBeginsSmallerToo() {
        DistributedMap<Long, String> map = world.map("map", Long.class, String.class).capacity(1 << 16).open();
        fill(SEGMENT_BYTES / 4);
        LongStream.range(0, KEYS).forEach(key -> map.put(key, "value " + key));
        assertThat(map.size()).isEqualTo(KEYS);
        assertThat(map.buckets()).isLessThan(1 << 16);
    }

    record Wide(long first, long second, long third, long fourth) {}

    /** Nobody has asked for the capacity that a map has by default. */
    @Test
    void aMapOfTheDefaultCapacityBeginsSmallerWhereItFitsIntoNoSegment() {
        DistributedMap<Long, Wide> map = world.map("map", Long.class, Wide.class).open();
        LongStream.range(0, KEYS).forEach(key -> map.put(key, new Wide(key, key, key, key)));
        assertThat(map.size()).isEqualTo(KEYS);
        assertThat(map.buckets()).isLessThan(1 << 16);
    }

    private void assertCanBeCleared(DistributedMap<Long, ?> map) {
        map.clear();
        assertThat(map.size()).isZero();
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.sizeEstimate()).isZero();
        map.forEach((key, value) -> assertThat(key).isNull());
        assertThat(map.forEach(MapPlace.FIRST, 10, (key, value) -> assertThat(key).isNull())).isEmpty();
    }

    @Test
    void aMapThatNeverHadABlockIsClearedWithoutRoom() {
        LongLongMap longs = world.longMap("longs").open();
        DistributedMap<Long, Long> words = world.map("words", Long.class, Long.class).open();
        DistributedMap<Long, String> texts = world.map("texts", Long.class, String.class).open();
        fill(0);
        long free = heap.usage(0).freeBytes();
        longs.clear();
        assertThat(longs.size()).isZero();
        assertThat(longs.sizeEstimate()).isZero();
        assertThat(longs.forEach(MapPlace.FIRST, 10, (key, value) -> assertThat(key).isNull())).isEmpty();
        assertCanBeCleared(words);
        assertCanBeCleared(texts);
        assertThat(heap.usage(0).freeBytes()).isEqualTo(free);
        assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> longs.put(1, 1));
        giveBackWhatFills();
        LongStream.range(0, KEYS).forEach(key -> longs.put(key, 1));
        longs.clear();
        assertThat(longs.size()).isZero();
    }
}
