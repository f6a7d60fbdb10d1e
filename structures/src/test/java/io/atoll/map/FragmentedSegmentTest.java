package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.heap.HeapUsage;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps grow in segments of which most is free, but no free piece is large. */
@Tag("slow")
class FragmentedSegmentTest {

    private static final int RANKS = 2;
    private static final int KEYS = 60_000;
    private static final long FREE_PIECE_BYTES = 96 << 10;
    private static final long USED_PIECE_BYTES = 8 << 10;

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

    private void fragment() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.rank(rank).epochs().prepare();
            Fragmentation.fragment(worlds.rank(0).participant().heap(), rank, FREE_PIECE_BYTES, USED_PIECE_BYTES);
        }
    }

    private long usedRuns() {
        long runs = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            HeapUsage usage = worlds.rank(0).participant().heap().usage(rank);
            runs += usage.ownedRuns() + usage.pendingRuns();
        }
        return runs;
    }

    @Test
    void aMapOfLongsGrowsWhereNoFreePieceHasRoomForItsBuckets() {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        fragment();
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.get((int) key % RANKS).putIfAbsent(key, key)).isTrue();
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getFirst().addAndGet(key, 1)).isEqualTo(key + 1);
            assertThat(maps.getLast().getOrDefault(key, -1)).isEqualTo(key + 1);
        }
        assertThat(maps.getLast().getOrDefault(KEYS, -1)).isEqualTo(-1);
        assertThat(maps.getFirst().size()).isEqualTo(KEYS);
        assertThat(maps.getFirst().getAll(LongStream.range(0, 5_000).toArray(), -1))
                .isEqualTo(LongStream.range(1, 5_001).toArray());
        Map<Long, Long> seen = new HashMap<>();
        maps.getLast().forEach((key, value) -> assertThat(seen.put(key, value)).as("key=" + key).isNull());
        assertThat(seen).hasSize(KEYS);
    }

    @Test
    void soDoesAMapOfObjects() {
        List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1);
        fragment();
        for (long key = 0; key < KEYS; key++) {
            maps.get((int) key % RANKS).put(key, key);
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(maps.getFirst().merge(key, 1L, Long::sum)).isEqualTo(key + 1);
            assertThat(maps.getLast().get(key)).isEqualTo(key + 1);
        }
        assertThat(maps.getFirst().size()).isEqualTo(KEYS);
        Map<Long, Long> seen = new HashMap<>();
        maps.getLast().forEach((key, value) -> assertThat(seen.put(key, value)).as("key=" + key).isNull());
        assertThat(seen).hasSize(KEYS);
    }

    @Test
    void whatABlockInPiecesHadIsFreedWhenItIsReplaced() {
        List<LongLongMap> maps = worlds.longMaps("map", 1);
        fragment();
        long before = usedRuns();
        LongLongMap map = maps.getFirst();
        for (long key = 0; key < KEYS; key++) {
            map.putIfAbsent(key, key);
        }
        for (long key = 0; key < KEYS; key++) {
            map.getAndRemove(key, 0);
        }
        for (long key = KEYS; key < 3 * KEYS; key++) {
            map.putIfAbsent(key, key);
            map.getAndRemove(key, 0);
        }
        for (World world : List.of(worlds.rank(0), worlds.rank(1))) {
            world.epochs().clear();
        }
        assertThat(usedRuns() - before).as("runs of the blocks that are there").isLessThan(RANKS * 40L);
    }
}
