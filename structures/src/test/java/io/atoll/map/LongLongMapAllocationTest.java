package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That operations which have been warmed up leave the Java heap alone, on the own rank's keys and on those of others. */
class LongLongMapAllocationTest {

    private static final int KEYS = 20_000;
    private static final int ROUNDS = 5;

    @TempDir
    Path folder;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    /** Of so many operations, when they have been done often enough before. */
    private long allocatedBytes(LongConsumer operation) {
        for (int round = 0; round < ROUNDS; round++) {
            useOnEveryKey(operation);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        useOnEveryKey(operation);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void useOnEveryKey(LongConsumer operation) {
        for (long key = 0; key < KEYS; key++) {
            operation.accept(key);
        }
    }

    @Test
    void operationsAllocateNothing() {
        LongLongMap map = worlds.fixedLongMaps("map", KEYS).getFirst();
        assertThat(List.of(
                allocatedBytes(key -> map.insert(key, 1)),
                allocatedBytes(key -> map.find(key, 0)),
                allocatedBytes(key -> map.find(-1 - key, 0)),
                allocatedBytes(key -> map.contains(key)),
                allocatedBytes(key -> map.increment(key, 1)),
                allocatedBytes(key -> map.put(key, 2)),
                allocatedBytes(key -> {
                    map.remove(key, 0);
                    map.insert(key, 3);
                }))).containsOnly(0L);
    }

    @Test
    void insertionsOfNewKeysAllocateNothing() {
        for (int round = 0; round < ROUNDS; round++) {
            insertEveryKey(worlds.fixedLongMaps("warm" + round, KEYS).getFirst());
        }
        LongLongMap map = worlds.fixedLongMaps("map", KEYS).getFirst();
        long before = threads.getCurrentThreadAllocatedBytes();
        insertEveryKey(map);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isZero();
        assertThat(map.size()).isEqualTo(KEYS);
    }

    private static void insertEveryKey(LongLongMap map) {
        for (long key = 0; key < KEYS; key++) {
            map.insert(key, 1);
        }
    }

    @Test
    void theMeasurementSeesWhatIsAllocated() {
        long[][] kept = new long[1][];
        assertThat(allocatedBytes(key -> kept[0] = new long[1])).isGreaterThanOrEqualTo(16L * KEYS);
    }
}
