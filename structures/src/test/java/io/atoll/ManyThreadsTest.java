package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.Acquisition;
import io.atoll.lock.Acquisitions;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More threads at once than a rank has descriptors and tokens. All of them are served. */
@Timeout(180)
class ManyThreadsTest extends TwoRanks {

    private static final int THREADS = 2_000;

    ManyThreadsTest() {
        super(16 << 20);
    }

    private World world() {
        return worlds.getFirst();
    }

    /** The work of the thread with the given number. */
    private interface Work {
        void run(int number) throws Exception;
    }

    /** Runs the work in the given number of threads. All of them live until the last one has done it. */
    private static void inThreadsThatLiveTogether(int threads, Work work) throws Exception {
        var done = new CountDownLatch(threads);
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
                    done.await();
                    return true;
                }));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
    }

    // --- locks ---

    @ParameterizedTest
    @EnumSource
    void twoThousandThreadsLockAndUnlock(LockAlgorithm algorithm) throws Exception {
        LockTable table = world().lockTable("accounts").algorithm(algorithm).locks(8).open();
        int[] counters = new int[8];
        inThreadsThatLiveTogether(THREADS, number -> {
            try (Acquisition held = table.lockAt(number % 8)) {
                counters[(int) held.index()]++;
            }
        });
        assertThat(counters).containsOnly(THREADS / 8);
    }

    @Test
    void twoThousandThreadsLockTwoKeysEach() throws Exception {
        LockTable table = world().lockTable("accounts").locks(64).open();
        int[] counters = new int[64];
        inThreadsThatLiveTogether(THREADS, number -> {
            List<Integer> accounts = List.of(number % 50, ThreadLocalRandom.current().nextInt(50));
            try (Acquisitions held = table.lockAll(accounts)) {
                held.held().forEach(each -> counters[(int) each.index()]++);
            }
        });
        assertThat(counters[(int) table.indexOf((Object) 7)]).isPositive();
        for (long index = 0; index < 64; index++) {
            assertThat(table.state(index).holder()).isEmpty();
        }
    }

    @Test
    void whereNoDescriptorIsFreeATimeoutIsKept() throws Exception {
        LockTable table = world().lockTable("small").locks(8).descriptors(1).open();
        var holding = new CountDownLatch(2);
        var over = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            // One acquires by the descriptor that it keeps, the other by the one that any thread may take.
            for (int thread = 0; thread < 2; thread++) {
                int index = thread;
                executor.submit(() -> {
                    try (Acquisition held = table.lockAt(index)) {
                        holding.countDown();
                        over.await();
                        return held;
                    }
                });
            }
            try {
                holding.await();
                assertTimeoutIsKept(table, 4);
                assertCanBeInterrupted(table, 4);
            } finally {
                over.countDown();
            }
        }
        table.lockAt(4).close();
    }

    private static void assertTimeoutIsKept(LockTable table, long index) throws InterruptedException {
        assertThat(table.tryLockAt(index)).isNull();
        long beganNanos = System.nanoTime();
        assertThat(table.tryLockAt(index, Duration.ofMillis(100))).isNull();
        assertThat(System.nanoTime() - beganNanos).isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());
    }

    private static void assertCanBeInterrupted(LockTable table, long index) throws InterruptedException {
        var interrupted = new CountDownLatch(1);
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                table.lockAt(index).close();
            } catch (InterruptedException expected) {
                interrupted.countDown();
            }
        });
        waiter.interrupt();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    // --- tokens ---

    @Test
    void twoThousandThreadsRegisterTokens() throws Exception {
        var allRegistered = new CountDownLatch(world().epochs().settings().tokens());
        inThreadsThatLiveTogether(THREADS, _ -> {
            try (Token token = world().epochs().register(); Pin _ = token.pin()) {
                allRegistered.countDown();
                allRegistered.await();
                assertThat(token.isPinned()).isTrue();
            }
        });
    }

    @Test
    void twoThousandThreadsPushAndPop() throws Exception {
        LinkedQueue<Long> queue = world().linkedQueue("queue", Long.class).host(1).open();
        LinkedStack<Long> stack = world().stack("stack", Long.class).host(1).open();
        var popped = ConcurrentHashMap.<Long>newKeySet();
        inThreadsThatLiveTogether(THREADS, number -> {
            queue.push((long) number);
            stack.push((long) number);
            Long first = queue.pop();
            Long top = stack.pop();
            assertThat(first).isNotNull();
            assertThat(top).isNotNull();
            popped.add(first);
            popped.add(top + THREADS);
        });
        assertThat(popped).hasSize(2 * THREADS);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(stack.isEmpty()).isTrue();
    }

    @Test
    void twentyThousandThreadsMergeIntoAHundredEntries() throws Exception {
        DistributedMap<Long, Long> map = world().map("sums", Long.class, Long.class).capacity(1_000).open();
        int threads = 20_000;
        var merged = new AtomicInteger();
        inThreadsThatLiveTogether(threads, number -> {
            map.merge((long) (number % 100), 1L, Long::sum);
            merged.incrementAndGet();
        });
        assertThat(merged).hasValue(threads);
        for (long key = 0; key < 100; key++) {
            assertThat(map.get(key)).isEqualTo(threads / 100L);
        }
    }
}
