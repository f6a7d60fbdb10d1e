package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.KeyHash;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rank that is killed by force, again and again, while it makes a map grow. */
@Tag("processes")
class GrowthProcessesTest {

    static final long SEGMENT_BYTES = 64 << 20;
    static final long KEYS = 200_000;

    private static final int KILLS = 5;
    private static final long OWN_KEYS = 20_000;

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void whatItHasCountedIsThereAndTheMapGrowsOn() {
        try (World world = World.named("growth")
                .size(2)
                .rank(0)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            LongLongMap map = world.longMap("hits").capacity(1).openLazily();
            for (int kill = 1; kill <= KILLS; kill++) {
                try (ChildProcess grower = ChildProcess.start(GrowerProgram.class)) {
                    assertThat(grower.ask("grow " + folder)).isEqualTo("" + kill);
                    // Both move the buckets of both ranks' blocks.
                    count(map, kill * OWN_KEYS);
                    grower.kill();
                    count(map, -kill * OWN_KEYS);
                    checkWhatWasCounted(map, kill);
                }
            }
            checkOwn(map);
        }
    }

    private static void count(LongLongMap map, long first) {
        keys(first, OWN_KEYS).forEach(key -> assertThat(map.increment(key, 1)).as("key=" + key).isOne());
    }

    /** In the segment of rank 0, which does not go away. */
    static LongStream keys(long first, long count) {
        return LongStream.range(first, first + count).filter(key -> KeyHash.rank(KeyHash.of(key), 2) == 0);
    }

    private static void checkOwn(LongLongMap map) {
        for (int kill = 1; kill <= KILLS; kill++) {
            for (long first : new long[]{kill * OWN_KEYS, -kill * OWN_KEYS}) {
                keys(first, OWN_KEYS).forEach(key -> assertThat(map.find(key, 0)).as("key=" + key).isOne());
            }
        }
    }

    /** Everything up to where it died, and nothing behind. */
    private static void checkWhatWasCounted(LongLongMap map, int incarnation) {
        long[] keys = keys(incarnation * GrowerProgram.PER_INCARNATION, KEYS).toArray();
        int counted = 0;
        while (counted < keys.length && map.find(keys[counted], 0) == 2) {
            counted++;
        }
        for (int behind = counted + 1; behind < keys.length; behind += 97) {
            assertThat(map.contains(keys[behind])).as("key=" + keys[behind]).isFalse();
        }
    }
}
