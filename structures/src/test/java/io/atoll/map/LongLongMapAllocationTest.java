package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Operations that have been warmed up allocate nothing on the Java heap. The keys are the own rank's and those of
 * others.
 */
@Isolated
class LongLongMapAllocationTest {

    private static final int KEYS = 20_000;

    @TempDir
    Path folder;

    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2, 32 << 20);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    @Test
    void operationsAllocateNothing() {
        LongLongMap map = worlds.fixedLongMaps("map", KEYS).getFirst();
        assertThat(List.of(
                bytes(key -> map.putIfAbsent(key, 1)),
                bytes(key -> map.getOrDefault(key, 0)),
                bytes(key -> map.getOrDefault(-1 - key, 0)),
                bytes(key -> map.containsKey(key)),
                bytes(key -> map.addAndGet(key, 1)),
                bytes(key -> map.put(key, 2)),
                bytes(key -> map.getAndPut(key, 4, 0)),
                bytes(key -> {
                    map.getAndRemove(key, 0);
                    map.putIfAbsent(key, 3);
                }))).containsOnly(0L);
    }

    private static long bytes(LongConsumer operation) {
        return AllocatedBytes.of(() -> ofEachKey(operation));
    }

    private static void ofEachKey(LongConsumer operation) {
        for (long key = 0; key < KEYS; key++) {
            operation.accept(key);
        }
    }

    @Test
    void insertionsOfNewKeysAllocateNothing() {
        List<LongLongMap> maps = new ArrayList<>();
        assertThat(AllocatedBytes.of(() -> {
            maps.add(worlds.fixedLongMaps("map" + maps.size(), KEYS).getFirst());
            return maps.getLast();
        }, LongLongMapAllocationTest::insertEveryKey)).isZero();
        assertThat(maps.getLast().size()).isEqualTo(KEYS);
    }

    private static void insertEveryKey(LongLongMap map) {
        for (long key = 0; key < KEYS; key++) {
            map.putIfAbsent(key, 1);
        }
    }

    @Test
    void theMeasurementSeesWhatIsAllocated() {
        long[][] kept = new long[1][];
        assertThat(bytes(key -> kept[0] = new long[1])).isGreaterThanOrEqualTo(16L * KEYS);
    }
}
