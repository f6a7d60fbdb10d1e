package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.TwoRanks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that wait for a lock in vain, and the places that they leave in its queue. */
@Timeout(600)
@Tag("slow")
class TimedOutWaitsTest extends TwoRanks {

    private static final int ATTEMPTS = 2_000;
    private static final Duration SHORT = Duration.ofMillis(1);

    TimedOutWaitsTest() {
        super(4 << 20);
    }

    private LockTable table(int rank, LockAlgorithm algorithm) {
        return worlds.get(rank).lockTable("of-" + algorithm).algorithm(algorithm).locks(4).open();
    }

    private static void waitInVain(LockTable table, long index, int threads) throws InterruptedException {
        List<Thread> waiters = new ArrayList<>();
        var gotIt = new AtomicReference<Acquisition>();
        for (int number = 0; number < threads; number++) {
            waiters.add(Thread.ofPlatform().start(() -> {
                try {
                    gotIt.compareAndSet(null, table.tryLockAt(index, SHORT));
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
            }));
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }
        assertThat(gotIt.get()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aFreeLockIsHadAtOnceThoughOthersHaveWaitedForItInVain(LockAlgorithm algorithm) throws Exception {
        for (int round = 0; round < 10; round++) {
            for (long index = 0; index < 2; index++) {
                Acquisition held = table(round % RANKS, algorithm).lockAt(index);
                waitInVain(table(0, algorithm), index, 1 + round % 3);
                waitInVain(table(1, algorithm), index, 1 + round % 2);
                held.close();
                try (Acquisition next = table(0, algorithm).tryLockAt(index)) {
                    assertThat(next).as("lock %d in round %d", index, round).isNotNull();
                }
            }
        }
    }

    /**
     * A thread that tries waits for requests that leave. It must not wait until their turn comes, which is when the
     * holder releases the lock.
     */
    @ParameterizedTest
    @EnumSource
    void aLockThatIsHeldIsNotWaitedForByAThreadThatTriesThoughOthersHaveWaitedInVain(LockAlgorithm algorithm)
            throws Exception {
        for (long index = 0; index < 2; index++) {
            try (Acquisition _ = table(0, algorithm).lockAt(index)) {
                waitInVain(table(0, algorithm), index, 3);
                waitInVain(table(1, algorithm), index, 3);
                long beganNanos = System.nanoTime();
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(table(rank, algorithm).tryLockAt(index)).isNull();
                }
                assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(Duration.ofSeconds(8));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThreadThatHasWaitedInVainIsNotSeenToWait(LockAlgorithm algorithm) throws Exception {
        for (long index = 0; index < 2; index++) {
            try (Acquisition _ = table(0, algorithm).lockAt(index)) {
                waitInVain(table(1, algorithm), index, 2);
                assertThat(table(0, algorithm).state(index).waiting()).isEmpty();
            }
        }
    }

    private static void assertEveryLockCanBeHad(LockTable table) {
        for (long index = 0; index < table.locks(); index++) {
            try (Acquisition free = table.tryLockAt(index)) {
                assertThat(free).as("lock %d", index).isNotNull();
            }
        }
    }

    /**
     * There are more waits than a rank has descriptors. Both the lock and its holder are at the own rank or at another.
     */
    @ParameterizedTest
    @CsvSource({"ALOCK,0,0", "ALOCK,0,1", "ALOCK,1,0", "ALOCK,1,1", "MCS,0,1", "MCS,1,1", "SPIN,0,1", "SPIN,1,1"})
    void waitsInVainAtALockThatStaysHeldUseUpNothing(LockAlgorithm algorithm, int owner, int holder) throws Exception {
        LockTable table = table(0, algorithm);
        try (Acquisition held = table(holder, algorithm).lockAt(owner)) {
            held.detach(); // so this thread may wait for it
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                assertThat(table.tryLockAt(owner, SHORT)).isNull();
            }
            try (Acquisition other = table.tryLockAt(2 + owner)) {
                assertThat(other).as("another lock, while that one stays held").isNotNull();
            }
        }
        assertEveryLockCanBeHad(table);
        assertEveryLockCanBeHad(table(1, algorithm));
    }

    /** Places are given up, taken over and passed over at the same time. */
    @ParameterizedTest
    @EnumSource
    void aCounterIsExactThoughMostWaitsForItsLockAreInVain(LockAlgorithm algorithm) throws Exception {
        for (int owner = 0; owner < RANKS; owner++) {
            int index = owner;
            int[] counter = new int[1];
            int[] acquired = new int[6];
            var failure = new AtomicReference<@Nullable Throwable>();
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < acquired.length; number++) {
                int mine = number;
                LockTable table = table(number % RANKS, algorithm);
                Thread thread = Thread.ofPlatform().unstarted(() -> {
                    for (int attempt = 0; attempt < 500; attempt++) {
                        try (Acquisition held = table.tryLockAt(index, Duration.ofNanos(20_000L << attempt % 6))) {
                            if (held != null) {
                                counter[0]++;
                                acquired[mine]++;
                                Thread.sleep(Duration.ofNanos(attempt % 3 * 100_000L));
                            }
                        } catch (InterruptedException impossible) {
                            throw new AssertionError(impossible);
                        }
                    }
                });
                thread.setUncaughtExceptionHandler((_, thrown) -> failure.set(thrown));
                threads.add(thread);
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(counter[0]).isPositive().isEqualTo(Arrays.stream(acquired).sum());
            assertEveryLockCanBeHad(table(0, algorithm));
            assertEveryLockCanBeHad(table(1, algorithm));
        }
    }
}
