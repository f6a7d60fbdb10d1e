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

    /** Returns a fabric that has the mapping every other time it is asked for. */
    private static Fabric flickering(Fabric fabric) {
        int[] asked = new int[1];
        return Wrapper.around(fabric, Fabric.class, call -> {
            Object answer = call.proceed();
            return call.isOf("mapped") && asked[0]++ % 2 == 0 ? null : answer;
        });
    }

    @Test
    void anOperationIsRightThoughTheMappingComesAndGoes() {
        try (World world = open(0); World other = open(1)) {
            LongLongMap map = world.longMap("hits").capacity(200).open();
            world.participant().endpoint().replaceFabric(MappingTest::flickering);
            Map<Long, Long> expected = new HashMap<>();
            Random random = new Random(7);
            for (int step = 0; step < 20_000; step++) {
                long key = random.nextInt(200);
                apply(random.nextInt(5), key, step, map, expected);
            }
            assertThat(other.rank()).isOne();
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
