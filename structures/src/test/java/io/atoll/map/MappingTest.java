package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.Wrapper;
import io.atoll.codec.FixedHash;
import io.atoll.fabric.Fabric;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Segments stop and begin to be mapped in the middle of operations: when a rank goes, and when a listener for the verbs
 * comes.
 */
class MappingTest {

    @TempDir
    Path folder;

    private World open(int rank) {
        return World.named("mapping")
                .keySeed(FixedHash.SEED)
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    /** Counts how often fabrics were asked for a mapping. */
    private int asked;

    /** Returns a fabric that has the mapping every other time it is asked for. So has the one below it that maps. */
    private Fabric flickering(Fabric fabric) {
        return Wrapper.around(fabric, Fabric.class, call -> {
            Object answer = call.proceed();
            if (answer instanceof Fabric mapping) {
                return flickering(mapping);
            }
            return call.isOf("mapped") && asked++ % 2 == 0 ? null : answer;
        });
    }

    @Test
    void anOperationIsRightThoughTheMappingComesAndGoes() {
        try (World world = open(0); World other = open(1)) {
            LongLongMap map = world.longMap("hits").capacity(200).open();
            world.participant().endpoint().replaceFabric(this::flickering);
            Map<Long, Long> expected = new HashMap<>();
            Random random = new Random(7);
            for (int step = 0; step < 20_000; step++) {
                long key = random.nextInt(200);
                apply(random.nextInt(5), key, step, map, expected);
            }
            assertThat(other.rank()).isOne();
            assertThat(asked).as("questions for a mapping").isGreaterThan(10_000);
        }
    }

    @Test
    void soIsAnOperationOnObjects() {
        try (World world = open(0); World other = open(1)) {
            DistributedMap<Long, Long> map = world.map("hits", Long.class, Long.class).capacity(200).open();
            world.participant().endpoint().replaceFabric(this::flickering);
            Map<Long, Long> expected = new HashMap<>();
            Random random = new Random(7);
            for (long step = 0; step < 20_000; step++) {
                long key = random.nextInt(200);
                apply(random.nextInt(4), key, step, map, expected);
            }
            assertThat(other.rank()).isOne();
            assertThat(asked).as("questions for a mapping").isGreaterThan(10_000);
        }
    }

    private static void apply(int operation, long key, long value, DistributedMap<Long, Long> map,
            Map<Long, Long> expected) {
        switch (operation) {
            case 0 -> assertThat(map.putIfAbsent(key, value)).isEqualTo(expected.putIfAbsent(key, value) == null);
            case 1 -> assertThat(map.getAndPutIfAbsent(key, value)).isEqualTo(expected.putIfAbsent(key, value));
            case 2 -> assertThat(map.getAndRemove(key)).isEqualTo(expected.remove(key));
            default -> assertThat(map.get(key)).isEqualTo(expected.get(key));
        }
    }

    private static void apply(int operation, long key, long value, LongLongMap map, Map<Long, Long> expected) {
        switch (operation) {
            case 0 -> assertThat(map.putIfAbsent(key, value)).isEqualTo(expected.putIfAbsent(key, value) == null);
            case 1 -> assertThat(map.put(key, value)).isEqualTo(expected.put(key, value) == null);
            case 2 -> assertThat(map.addAndGet(key, 3)).isEqualTo(expected.merge(key, 3L, Long::sum));
            case 3 -> assertThat(map.getAndRemove(key, -1)).isEqualTo(orMinusOne(expected.remove(key)));
            default -> assertThat(map.getOrDefault(key, -1)).isEqualTo(orMinusOne(expected.get(key)));
        }
    }

    private static long orMinusOne(@Nullable Long value) {
        return value == null ? -1 : value;
    }
}
