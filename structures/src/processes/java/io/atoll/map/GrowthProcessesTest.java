package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A rank is killed by force, again and again, while it makes a map grow. */
@Tag("processes")
class GrowthProcessesTest {

    static final long SEGMENT_BYTES = 64 << 20;
    static final long KEYS = 200_000;

    private static final int KILLS = 5;
    private static final long OWN_KEYS = 20_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void whatItHasCountedIsThereAndTheMapGrowsOn(CountingMap.Kind kind) {
        try (World world = World.named("growth")
                .keySeed(FixedHash.SEED)
                .size(2)
                .rank(0)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            CountingMap map = kind.open(world);
            for (int kill = 1; kill <= KILLS; kill++) {
                try (ChildProcess grower = ChildProcess.start(GrowerProgram.class)) {
                    assertThat(grower.ask("grow " + folder + " " + kind)).isEqualTo("" + kill);
                    // Both ranks move the buckets of both ranks' blocks.
                    count(map, kill * OWN_KEYS);
                    grower.kill();
                    count(map, -kill * OWN_KEYS);
                    checkWhatWasCounted(map, kill);
                }
            }
            checkOwn(map);
        }
    }

    private static void count(CountingMap map, long first) {
        keys(first, OWN_KEYS).forEach(key -> assertThat(map.increment(key)).as("key=" + key).isOne());
    }

    /** Returns keys in the segment of rank 0, which does not go away. */
    static LongStream keys(long first, long count) {
        return LongStream.range(first, first + count).filter(key -> KeyHash.rank(FixedHash.of(key), 2) == 0);
    }

    private static void checkOwn(CountingMap map) {
        for (int kill = 1; kill <= KILLS; kill++) {
            for (long first : new long[]{kill * OWN_KEYS, -kill * OWN_KEYS}) {
                keys(first, OWN_KEYS).forEach(key -> assertThat(map.find(key)).as("key=" + key).isOne());
            }
        }
    }

    /** Checks that everything up to the rank's death was counted, and nothing behind. */
    private static void checkWhatWasCounted(CountingMap map, int incarnation) {
        long[] keys = keys(incarnation * GrowerProgram.PER_INCARNATION, KEYS).toArray();
        int counted = 0;
        while (counted < keys.length && map.find(keys[counted]) == 2) {
            counted++;
        }
        for (int behind = counted + 1; behind < keys.length; behind += 97) {
            assertThat(map.find(keys[behind])).as("key=" + keys[behind]).isZero();
        }
    }
}
