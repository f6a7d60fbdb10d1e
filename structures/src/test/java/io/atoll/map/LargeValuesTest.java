package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.World;
import io.atoll.epoch.Token;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that are large for their segment: what was replaced makes room for what replaces it, and a segment is full only when nothing can be freed. */
class LargeValuesTest {

    private static final int VALUE_BYTES = 3 << 20;
    private static final int SMALLER_BYTES = 1 << 20;
    private static final int ROUNDS = 60;

    @TempDir
    Path folder;

    private Worlds worlds;
    private World world;
    private DistributedMap<String, byte[]> map;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2, 64 << 20);
        world = worlds.rank(0);
        map = world.map("values", String.class, byte[].class).capacity(100).open();
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private static byte[] value(int round) {
        byte[] value = new byte[VALUE_BYTES];
        value[VALUE_BYTES - 1] = (byte) round;
        return value;
    }

    @Test
    void aValueIsReplacedForAsLongAsOneLikes() {
        for (int round = 0; round < ROUNDS; round++) {
            map.put("key", value(round));
        }
        assertThat(Arrays.equals(map.find("key"), value(ROUNDS - 1))).isTrue();
    }

    @Test
    void soIsOneThatNearlyFillsTheSegmentTogetherWithTheNext() {
        int most = 20 << 20;
        for (int round = 0; round < ROUNDS / 4; round++) {
            map.put("key", new byte[most + round]);
        }
        assertThat(map.find("key")).hasSize(most + ROUNDS / 4 - 1);
    }

    @Test
    void soIsOneThatAFunctionMakes() {
        for (int round = 0; round < ROUNDS; round++) {
            map.merge("key", new byte[20 << 20], (present, given) -> given);
            map.compute("key", (_, present) -> present);
        }
        assertThat(map.find("key")).hasSize(20 << 20);
    }

    @Test
    void whatOtherThreadsOfThisProcessHaveRetiredIsFreed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] value = value(round);
            Thread thread = Thread.ofVirtual().start(() -> map.put("key", value));
            thread.join();
        }
        assertThat(Arrays.equals(map.find("key"), value(ROUNDS - 1))).isTrue();
    }

    /** Leaves room for so many values at the key's owner, less than what would be reclaimed anyway. */
    private void fillUntil(int values) {
        Heap heap = world.participant().heap();
        int owner = map.owner("key");
        long free = heap.usage(owner).freeBytes();
        heap.allocate(owner, free - values * (long) (SMALLER_BYTES + (32 << 10)));
    }

    @Test
    void inANearlyFullSegmentAValueIsReplacedForAsLongAsOneLikes() {
        map.put("key", new byte[SMALLER_BYTES]);
        fillUntil(2);
        for (int round = 0; round < ROUNDS; round++) {
            map.put("key", new byte[SMALLER_BYTES]);
        }
        assertThat(map.find("key")).hasSize(SMALLER_BYTES);
    }

    @Test
    void inANearlyFullSegmentAFunctionReplacesAValueAndRunsOnceEachTime() {
        map.put("key", new byte[SMALLER_BYTES]);
        fillUntil(2);
        int[] runs = new int[1];
        for (int round = 0; round < ROUNDS; round++) {
            map.compute("key", (_, present) -> {
                runs[0]++;
                return new byte[SMALLER_BYTES];
            });
        }
        assertThat(runs[0]).isEqualTo(ROUNDS);
    }

    @Test
    void valuesComeAndGo() {
        for (int round = 0; round < ROUNDS; round++) {
            map.put("key " + round % 5, value(round));
            map.remove("key " + round % 3);
        }
    }

    @Test
    void whoIsPinnedAndKeepsTheSegmentFullIsNamed() throws Exception {
        try (Token reader = worlds.rank(1).epochs().register()) {
            reader.pin();
            assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    map.put("key", value(round));
                }
            })
                    .withMessageContaining("pinnedByRank=1")
                    .withMessageContaining("pinnedByThread=" + Thread.currentThread().getName())
                    .withMessageContaining("pinnedForAtLeastMillis=")
                    .satisfies(full -> assertThat(full.limboBytes()).isGreaterThan(10L * VALUE_BYTES));
            reader.unpin();
        }
        map.put("key", value(7));
        assertThat(Arrays.equals(map.find("key"), value(7))).isTrue();
    }

    @Test
    void aThreadThatIsPinnedItselfIsToldSo() {
        try (Token own = world.epochs().register()) {
            own.pin();
            assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    map.put("key", value(round));
                }
            }).withMessageContaining("pinnedByRank=0");
            own.unpin();
        }
    }
}
