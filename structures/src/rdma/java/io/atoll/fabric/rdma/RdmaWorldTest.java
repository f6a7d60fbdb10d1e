package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import io.atoll.filter.BloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests worlds whose ranks reach each other only by RDMA. */
@NeedsRdmaDevice
@ParameterizedClass(name = "{0} ranks")
@ValueSource(ints = {2, 3})
@Timeout(180)
class RdmaWorldTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KEYS = 200;

    private final World[] worlds;

    RdmaWorldTest(int size) {
        worlds = new World[size];
    }

    record Point(long x, long y, long z) {}

    @BeforeEach
    void join() {
        for (int rank = 0; rank < worlds.length; rank++) {
            worlds[rank] = open(rank);
        }
    }

    private World open(int rank) {
        return World.named("verbs-world")
                .size(worlds.length)
                .rank(rank)
                .segment(8 << 20)
                .joinTimeout(PATIENCE)
                .fabric(Fabrics.rdma())
                .open();
    }

    @AfterEach
    void leave() {
        for (World world : worlds) {
            world.close();
        }
    }

    private interface Program {
        void run(World world) throws Exception;
    }

    private void everywhere(Program program) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(worlds.length)) {
            List<Future<?>> running = new ArrayList<>();
            for (World world : worlds) {
                running.add(threads.submit(() -> {
                    program.run(world);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    @Test
    void additionsOfAllRanksAreExact() throws Exception {
        everywhere(world -> {
            LongLongMap hits = world.longMap("hits").capacity(1_000).open();
            for (int i = 0; i < KEYS; i++) {
                hits.addAndGet(i % 10, 1);
            }
            world.barrier();
            for (int key = 0; key < 10; key++) {
                assertThat(hits.getOrDefault(key, -1)).isEqualTo(worlds.length * KEYS / 10);
            }
        });
    }

    @Test
    void whatOneRankPutsTheOtherFinds() throws Exception {
        everywhere(world -> {
            DistributedMap<Long, Point> points = world.map("points", Long.class, Point.class).capacity(2_000).open();
            for (long key = world.rank(); key < KEYS; key += worlds.length) {
                points.put(key, new Point(key, 2 * key, 3 * key));
            }
            world.barrier();
            for (long key = 0; key < KEYS; key++) {
                assertThat(points.get(key)).isEqualTo(new Point(key, 2 * key, 3 * key));
            }
        });
    }

    @Test
    void everyElementIsNewToOneRankOnly() throws Exception {
        long[] added = new long[worlds.length];
        everywhere(world -> {
            BloomFilter<String> seen = world.filter("seen", String.class)
                    .expectedElements(10_000)
                    .falsePositiveRate(0.001)
                    .open();
            for (int i = 0; i < KEYS; i++) {
                added[world.rank()] += seen.add("element " + i) ? 1 : 0;
            }
            world.barrier();
            for (int i = 0; i < KEYS; i++) {
                assertThat(seen.mightContain("element " + i)).isTrue();
            }
        });
        assertThat(Arrays.stream(added).sum()).isBetween(KEYS - 5L, (long) KEYS);
    }

    @Test
    void valuesOfAllRanksAreCombined() throws Exception {
        everywhere(world -> {
            long[] values = {1L << world.rank(), 10};
            world.allReduce(values, Long::sum);
            assertThat(values).containsExactly((1L << world.size()) - 1, 10L * world.size());
        });
    }

    @Test
    void aRankThatLeavesIsMissedAndOneThatComesBackHasItsData() throws Exception {
        LongLongMap map = worlds[0].longMap("kept").capacity(1_000).open();
        for (long key = 0; key < KEYS; key++) {
            map.putIfAbsent(key, key);
        }

        worlds[1].close();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> findAll(map))
                .satisfies(failure -> assertThat(failure.rank()).isEqualTo(1));
        worlds[1] = open(1);
        worlds[0].peers().awaitAll(PATIENCE);

        findAll(map);
    }

    private static void findAll(LongLongMap map) {
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.getOrDefault(key, -1)).isEqualTo(key);
        }
    }
}
