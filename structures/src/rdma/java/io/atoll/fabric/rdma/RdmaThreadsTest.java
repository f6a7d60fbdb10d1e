package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.VariableCodecs;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a process with far more virtual threads than there is registered memory for a whole buffer each. RDMA serves
 * all of them.
 */
@NeedsRdmaDevice
@Timeout(400)
class RdmaThreadsTest {

    private static final int THREADS = 10_000;
    private static final int KEYS = 100;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("verbs-threads")
                    .size(2)
                    .rank(rank)
                    .segment(8 << 20)
                    .joinTimeout(Duration.ofSeconds(60))
                    .operationTimeout(Duration.ofSeconds(120))
                    .fabric(Fabrics.rdma())
                    .open());
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
                .stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** The action of the thread with this number. */
    private interface Work {
        void run(int number) throws Exception;
    }

    /**
     * Runs the action in this number of threads, which all live until the last one has finished. Returns how much
     * native memory that has taken.
     */
    private static long inThreadsThatLiveTogether(int threads, Work work) throws Exception {
        long before = direct();
        CountDownLatch done = new CountDownLatch(threads);
        CountDownLatch looked = new CountDownLatch(1);
        List<Future<Boolean>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running.add(executor.submit(() -> {
                    try {
                        work.run(number);
                    } finally {
                        done.countDown();
                    }
                    looked.await();
                    return true;
                }));
            }
            done.await();
            long taken = direct() - before;
            looked.countDown();
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
            return taken;
        }
    }

    @Test
    void tenThousandThreadsTakeLittleMemory() throws Exception {
        LongLongMap counts = worlds.getFirst().longMap("counts").capacity(1_000).open();
        long taken = inThreadsThatLiveTogether(THREADS, number -> counts.addAndGet(number % KEYS, 1));
        assertThat(taken).isLessThanOrEqualTo(64 << 20);
        for (long key = 0; key < KEYS; key++) {
            assertThat(counts.getOrDefault(key, 0)).isEqualTo(THREADS / KEYS);
        }
    }

    /** There are more threads than whole buffers, so they wait in line. */
    @Test
    void threadsShareWholeBuffersForOperationsOnSeveralElements() throws Exception {
        LongLongMap counts = worlds.getFirst().longMap("counts").capacity(1_000).open();
        World world = worlds.getFirst();
        CircularQueue<String> queue = CircularQueue
                .builder("texts", VariableCodecs.bounded(VariableCodecs.forType(String.class), 600), world::participant)
                .host(1)
                .capacity(1_000)
                .open();
        long[] keys = LongStream.range(0, KEYS).toArray();
        for (long key : keys) {
            counts.put(key, 3 * key);
        }
        List<String> texts = List.of("some", "texts".repeat(100), "here");
        long taken = inThreadsThatLiveTogether(200, number -> {
            long[] found = counts.getAll(keys, -1);
            assertThat(found).isEqualTo(LongStream.of(keys).map(key -> 3 * key).toArray());
            assertThat(queue.push(texts)).isTrue();
            assertThat(queue.pop(3)).hasSize(3).allMatch(texts::contains);
        });
        assertThat(taken).isLessThanOrEqualTo(64 << 20);
    }
}
