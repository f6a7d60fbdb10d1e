package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.failure.SegmentFullException;
import io.atoll.heap.HeapUsage;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps that were opened far too small. */
@Tag("slow")
class LongGrowthTest {

    private static final int RANKS = 2;
    private static final int KEYS = 20_000;

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

    @Test
    void aMapGrowsWithWhatIsInIt() {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        LongLongMap map = maps.getFirst();
        assertThat(map.buckets()).isEqualTo(8 * RANKS);
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.putIfAbsent(key, -key)).isTrue();
        }
        assertThat(map.buckets()).isBetween(KEYS * 5L / 4, KEYS * 4L);
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getLast().getOrDefault(key, 1)).isEqualTo(-key);
            assertThat(map.putIfAbsent(key, 1)).isFalse();
        }
        assertThat(map.size()).isEqualTo(KEYS);
        assertThat(map.sizeEstimate()).isBetween(KEYS * 3L / 4, KEYS * 5L / 4);
    }

    @Test
    void countsAreExactWhoeverMovesThem() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        int threads = 4;
        Worlds.atOnce(threads, thread -> () -> {
            LongLongMap map = maps.get(thread % RANKS);
            for (long key = 0; key < KEYS; key++) {
                map.addAndGet(key, 1 + thread);
                map.addAndGet(7, 1);
            }
            return thread;
        });
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getFirst().getOrDefault(key, 0)).as("key=" + key)
                    .isEqualTo(key == 7 ? 10 + threads * KEYS : 10);
        }
    }

    @Test
    void whatIsRemovedMakesRoomAgain() {
        LongLongMap map = worlds.longMaps("map", 100).getFirst();
        long before = map.buckets();
        for (long key = 0; key < KEYS; key++) {
            map.putIfAbsent(key, 1);
            assertThat(map.getAndRemove(key, 0)).isOne();
        }
        assertThat(map.size()).isZero();
        assertThat(map.buckets()).isEqualTo(before);
    }

    @Test
    void blocksThatWereReplacedAreFreed() {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        for (long key = 0; key < KEYS; key++) {
            maps.get((int) key % RANKS).putIfAbsent(key, 1);
        }
        for (long key = 0; key < KEYS; key++) {
            // Operations that change something finish what has been begun.
            maps.getFirst().put(key, 2);
        }
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.rank(rank).epochs().clear();
        }
        long used = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            HeapUsage usage = worlds.rank(0).participant().heap().usage(rank);
            used += usage.ownedBytes();
        }
        long blocks = maps.getFirst().buckets() * LongBucket.SIZE;
        // The epochs' block, which has room for 64 ranks, the header, the head of the block, and whole slabs.
        assertThat(used - blocks).isBetween(0L, RANKS * (40L << 10));
    }

    @Test
    void whoIteratesWhileItGrowsSeesEachKeyOnceAndAllThatAreThere() throws Exception {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        for (long key = 0; key < 1_000; key++) {
            maps.getFirst().putIfAbsent(key, key);
        }
        var done = new AtomicBoolean();
        Worlds.atOnce(2, thread -> () -> {
            if (thread == 0) {
                for (long key = 1_000; key < KEYS; key++) {
                    maps.getFirst().putIfAbsent(key, key);
                }
                done.set(true);
                return thread;
            }
            while (!done.get()) {
                Map<Long, Long> seen = new HashMap<>();
                maps.getLast().forEach((key, value) -> assertThat(seen.put(key, value)).as("key=" + key).isNull());
                for (long key = 0; key < 1_000; key++) {
                    assertThat(seen).containsEntry(key, key);
                }
            }
            return thread;
        });
        assertThat(maps.getFirst().size()).isEqualTo(KEYS);
    }

    @Test
    void whereTheSegmentIsFullAMapStopsToGrowAndNothingElse() {
        LongLongMap map = worlds.longMaps("map", 1).getFirst();
        long[] inserted = new long[1];
        assertThatThrownBy(() -> {
            while (true) {
                map.putIfAbsent(inserted[0], 1);
                inserted[0]++;
            }
        }).isInstanceOf(SegmentFullException.class);
        assertThat(inserted[0]).isGreaterThan(100_000);
        assertThat(map.getOrDefault(inserted[0], 0)).isZero();
        for (long key = 0; key < inserted[0]; key++) {
            assertThat(map.addAndGet(key, 1)).isEqualTo(2);
        }
    }
}
