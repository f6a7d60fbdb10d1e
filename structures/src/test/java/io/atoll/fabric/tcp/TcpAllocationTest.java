package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.atoll.AllocatedBytes;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.WordTest;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that any number of verbs allocates nothing. */
@Isolated
@Timeout(180)
class TcpAllocationTest {

    private static final long WORD = TcpRanks.FREE;
    private static final int VERBS = 4_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60); // until everything is compiled

    @Test
    void verbsAllocateNothing(@TempDir Path folder) {
        try (TcpRanks ranks = new TcpRanks(folder)) {
            Fabric fabric = ranks.fabric(0);
            await().pollInSameThread()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(AllocatedBytes.of(() -> use(fabric))).isLessThan(VERBS));
        }
    }

    /** The thread that serves the lane, or a loop, executes the verbs. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void verbsAllocateNothingAtTheOwner(int mostThreads, @TempDir Path folder) {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> tcp, mostThreads)) {
            Fabric fabric = ranks.fabric(0);
            use(fabric);
            long[] serving = Thread.getAllStackTraces()
                    .keySet()
                    .stream()
                    .filter(thread -> thread.getName()
                            .startsWith("atoll-tcp-" + TcpRanks.WORLD.name()
                                    + (mostThreads == 0 ? "-1-loop" : "-1-from-0")))
                    .mapToLong(Thread::threadId)
                    .toArray();
            assertThat(serving).isNotEmpty();
            await().pollInSameThread().atMost(PATIENCE).untilAsserted(() -> {
                long before = allocated(serving);
                use(fabric);
                assertThat(allocated(serving) - before).isLessThan(VERBS);
            });
        }
    }

    private static long allocated(long[] threads) {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(bean.getThreadAllocatedBytes(threads)).sum();
    }

    private static void use(Fabric fabric) {
        for (int verb = 0; verb < VERBS / 4; verb++) {
            fabric.readWord(1, WORD);
            fabric.getAndAdd(1, WORD, 1);
            fabric.writeWord(1, WORD, 1);
            Batch batch = fabric.batch();
            batch.read(1, WORD, 0, 64);
            batch.guard(batch.compareAndExchange(1, WORD, 1, 2));
            batch.writeWord(1, WORD + 8, 3);
            batch.complete();
            WordTest.putEqual(batch, 64, 8, 3);
            WordTest.put(batch, 64 + WordTest.BYTES, 0, -1, 1, 9);
            batch.guard(batch.search(1, WORD, 16, 4, 64, 2));
            int exchange = batch.exchangeFound(1, WORD + 8, -1, 0);
            batch.guard(exchange);
            batch.getAndAdd(1, WORD, 0);
            batch.complete();
            if (!batch.succeeded(exchange)) {
                throw new AssertionError("nothing was found");
            }
        }
    }
}
