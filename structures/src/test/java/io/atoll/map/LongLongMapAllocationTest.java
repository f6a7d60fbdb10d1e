package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That operations which have been warmed up leave the Java heap alone, on the own rank's keys and on those of others. */
class LongLongMapAllocationTest {

    @TempDir
    Path folder;

    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    @Test
    void operationsAllocateNothing() {
        LongLongMap map = worlds.fixedLongMaps("map", Allocations.KEYS).getFirst();
        assertThat(List.of(
                Allocations.of(key -> map.insert(key, 1)),
                Allocations.of(key -> map.find(key, 0)),
                Allocations.of(key -> map.find(-1 - key, 0)),
                Allocations.of(key -> map.contains(key)),
                Allocations.of(key -> map.increment(key, 1)),
                Allocations.of(key -> map.put(key, 2)),
                Allocations.of(key -> {
                    map.remove(key, 0);
                    map.insert(key, 3);
                }))).containsOnly(0L);
    }

    @Test
    void insertionsOfNewKeysAllocateNothing() {
        for (int round = 0; round < Allocations.ROUNDS; round++) {
            insertEveryKey(worlds.fixedLongMaps("warm" + round, Allocations.KEYS).getFirst());
        }
        LongLongMap map = worlds.fixedLongMaps("map", Allocations.KEYS).getFirst();
        assertThat(insertEveryKey(map)).isZero();
        assertThat(map.size()).isEqualTo(Allocations.KEYS);
    }

    private static long insertEveryKey(LongLongMap map) {
        return Allocations.ofOneRound(key -> map.insert(key, 1), Allocations.KEYS);
    }

    @Test
    void theMeasurementSeesWhatIsAllocated() {
        long[][] kept = new long[1][];
        assertThat(Allocations.of(key -> kept[0] = new long[1])).isGreaterThanOrEqualTo(16L * Allocations.KEYS);
    }
}
