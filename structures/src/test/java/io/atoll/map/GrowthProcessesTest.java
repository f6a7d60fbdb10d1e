package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
        for (long key = first; key < first + OWN_KEYS; key++) {
            assertThat(map.increment(key, 1)).as("key=" + key).isOne();
        }
    }

    private static void checkOwn(LongLongMap map) {
        for (int kill = 1; kill <= KILLS; kill++) {
            for (long key = 0; key < OWN_KEYS; key++) {
                assertThat(map.find(kill * OWN_KEYS + key, 0)).isOne();
                assertThat(map.find(-kill * OWN_KEYS + key, 0)).isOne();
            }
        }
    }

    /** Everything up to where it died, and nothing behind. */
    private static void checkWhatWasCounted(LongLongMap map, int incarnation) {
        long key = incarnation * GrowerProgram.PER_INCARNATION;
        long end = key + KEYS;
        while (key < end && map.find(key, 0) == 2) {
            key++;
        }
        assertThat(map.find(key, 0)).as("key=" + key).isBetween(0L, 1L);
        for (long behind = key + 1; behind < end; behind += 97) {
            assertThat(map.contains(behind)).as("key=" + behind).isFalse();
        }
    }
}
