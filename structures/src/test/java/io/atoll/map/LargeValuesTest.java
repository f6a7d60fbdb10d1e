package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.epoch.Token;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.linked.LinkedQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Values are large for their segment. A value that was replaced makes room for the next one. A segment is full only
 * when nothing can be freed.
 */
@Tag("slow")
class LargeValuesTest {

    private static final int VALUE_BYTES = 3 << 20;
    private static final int SMALLER_BYTES = 1 << 20;
    private static final int NODES = 1_000; // at a time
    private static final int ROUNDS = 60;
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

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
        assertThat(Arrays.equals(map.get("key"), value(ROUNDS - 1))).isTrue();
    }

    @Test
    void soIsOneThatNearlyFillsTheSegmentTogetherWithTheNext() {
        int most = 20 << 20;
        for (int round = 0; round < ROUNDS / 4; round++) {
            map.put("key", new byte[most + round]);
        }
        assertThat(map.get("key")).hasSize(most + ROUNDS / 4 - 1);
    }

    @Test
    void soIsOneThatAFunctionMakes() {
        for (int round = 0; round < ROUNDS; round++) {
            map.merge("key", new byte[20 << 20], (present, given) -> given);
            map.compute("key", (_, present) -> present);
        }
        assertThat(map.get("key")).hasSize(20 << 20);
    }

    @Test
    void whatOtherThreadsOfThisProcessHaveRetiredIsFreed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] value = value(round);
            Thread thread = Thread.ofVirtual().start(() -> map.put("key", value));
            thread.join();
        }
        assertThat(Arrays.equals(map.get("key"), value(ROUNDS - 1))).isTrue();
    }

    /** Leaves room for this many values at the key's owner. That is less than what would be reclaimed anyway. */
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
        assertThat(map.get("key")).hasSize(SMALLER_BYTES);
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
            map.getAndRemove("key " + round % 3);
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
        assertThat(Arrays.equals(map.get("key"), value(7))).isTrue();
    }

    /** Ways to take the room of a value at the key's owner. */
    enum Allocation {

        OF_THE_HEAP {
            @Override
            void allocate(World owner, DistributedMap<String, byte[]> map) {
                owner.participant().heap().allocate(owner.rank(), VALUE_BYTES);
            }
        },
        OF_A_VALUE {
            @Override
            void allocate(World owner, DistributedMap<String, byte[]> map) {
                map.put("key", new byte[VALUE_BYTES]);
            }
        },
        OF_WHAT_A_FUNCTION_MAKES {
            @Override
            void allocate(World owner, DistributedMap<String, byte[]> map) {
                map.compute("key", (_, _) -> new byte[VALUE_BYTES]);
            }
        },
        OF_NODES {
            @Override
            void allocate(World owner, DistributedMap<String, byte[]> map) {
                LinkedQueue<Long> queue = owner.linkedQueue("queue", Long.class).host(owner.rank()).open();
                do {
                    LongStream.range(0, NODES).forEach(queue::push);
                } while (owner.epochs().snapshot().ranks().stream().anyMatch(rank -> !rank.limbo().isEmpty()));
            }
        };

        abstract void allocate(World owner, DistributedMap<String, byte[]> map);
    }

    /** Leaves no room at the key's owner, except that of a value which another rank has retired. Returns that rank. */
    private World heldByAnIdleRank() {
        int owner = map.owner("key");
        World idle = worlds.rank(1 - owner);
        DistributedMap<String, byte[]> its = idle.map("values", String.class, byte[].class).capacity(100).open();
        its.put("key", value(0));
        its.put("key", value(1)); // less than what the rank would reclaim by itself
        Heap heap = worlds.rank(owner).participant().heap();
        heap.allocate(owner, heap.usage(owner).freeBytes() - SMALLER_BYTES);
        return idle;
    }

    @ParameterizedTest
    @EnumSource
    void whatAnIdleRankHasRetiredIsFreedWhenItsRoomIsNeeded(Allocation allocation) {
        heldByAnIdleRank();
        World owner = worlds.rank(map.owner("key"));
        DistributedMap<String, byte[]> its = owner.map("values", String.class, byte[].class).capacity(100).open();
        // A busy machine may not answer in time. Without being asked, the idle rank would never free the value.
        await().atMost(LONG_ENOUGH)
                .ignoreException(SegmentFullException.class)
                .untilAsserted(() -> allocation.allocate(owner, its));
    }

    @Test
    void anIdleRankThatIsPinnedIsNamed() {
        World idle = heldByAnIdleRank();
        World owner = worlds.rank(1 - idle.rank());
        owner.epochs().prepare();
        Heap heap = owner.participant().heap();
        try (Token reader = idle.epochs().register()) {
            reader.pin();
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatExceptionOfType(SegmentFullException.class)
                        .isThrownBy(() -> heap.allocate(owner.rank(), 2L * VALUE_BYTES))
                        .withMessageContaining("pinnedByRank=" + idle.rank());
            }
            reader.unpin();
        }
        await().atMost(LONG_ENOUGH)
                .ignoreException(SegmentFullException.class)
                .until(() -> heap.allocate(owner.rank(), VALUE_BYTES) > 0);
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
