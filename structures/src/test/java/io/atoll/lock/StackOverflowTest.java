package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.TwoRanks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads whose stack is full when they acquire or release a lock: nothing stays locked. */
@Timeout(300)
@Tag("slow")
class StackOverflowTest extends TwoRanks {

    private static final int DESCENTS = 200;
    private static final int VIEW_DESCENTS = 50;
    private static final long STACK_BYTES = 256 << 10;

    StackOverflowTest() {
        super(4 << 20);
    }

    /** Calls itself until the stack is full. From the first depth on, it locks and unlocks at each depth. */
    private static final class Descent {

        private final LockTable table;
        private final long index;
        private final int firstDepth;
        private int deepest;
        private int acquired;

        private Descent(LockTable table, long index, int firstDepth) {
            this.table = table;
            this.index = index;
            this.firstDepth = firstDepth;
        }

        private void descend(int depth) {
            deepest = depth;
            if (depth >= firstDepth) {
                Acquisition held = table.tryLockAt(index);
                if (held != null) {
                    acquired++;
                    held.close();
                }
            }
            descend(depth + 1);
        }

        /** Returns true if the stack was full. */
        private boolean run() {
            try {
                descend(0);
                return false;
            } catch (StackOverflowError full) {
                return true;
            }
        }
    }

    /** Locks a view and calls itself until the stack is full. It unlocks the view once on the way, at that depth. */
    private static final class DeepUnlock {

        private final Lock view;
        private final int unlockDepth;
        private int deepest;

        private DeepUnlock(Lock view, int unlockDepth) {
            this.view = view;
            this.unlockDepth = unlockDepth;
        }

        private void descend(int depth) {
            deepest = depth;
            if (depth == unlockDepth) {
                view.unlock();
            }
            descend(depth + 1);
        }

        /** Returns true if the thread still had the lock, and has released it now. */
        private boolean run() {
            view.lock();
            try {
                descend(0);
            } catch (StackOverflowError full) {
                // The stack was full in the unlock, or behind it.
            }
            try {
                view.unlock();
                return true;
            } catch (IllegalMonitorStateException unlocked) {
                return false;
            }
        }
    }

    /** Runs it in a thread with a small stack. */
    private static void inSmallThread(Runnable work) throws InterruptedException {
        var failure = new AtomicReference<@Nullable Throwable>();
        Thread thread = new Thread(null, work, "deep", STACK_BYTES);
        thread.setUncaughtExceptionHandler((_, thrown) -> failure.set(thrown));
        thread.start();
        thread.join();
        assertThat(failure.get()).isNull();
    }

    private static int depth(LockTable table) throws InterruptedException {
        var depth = new AtomicInteger();
        inSmallThread(() -> {
            var probe = new Descent(table, 0, Integer.MAX_VALUE);
            probe.run();
            depth.set(probe.deepest);
        });
        return depth.get();
    }

    @ParameterizedTest
    @CsvSource({"ALOCK,0", "ALOCK,1", "MCS,0", "MCS,1", "SPIN,0", "SPIN,1"})
    void nothingStaysLockedWhenTheStackIsFull(LockAlgorithm algorithm, long index) throws Exception {
        LockTable table = worlds.getFirst().lockTable("table").algorithm(algorithm).locks(2).open();
        worlds.get(1).lockTable("table").algorithm(algorithm).locks(2).open();
        table.lockAt(index).close();
        int deepest = depth(table);
        var overflows = new AtomicInteger();
        for (int number = 0; number < DESCENTS; number++) {
            int first = deepest - 100 - number % 50;
            inSmallThread(() -> overflows.addAndGet(new Descent(table, index, first).run() ? 1 : 0));
            Acquisition next = table.tryLockAt(index, Duration.ofSeconds(20));
            assertThat(next).as("after descent " + number).isNotNull();
            next.close();
        }
        assertThat(overflows).hasPositiveValue();
        for (long lock = 0; lock < 2; lock++) {
            assertThat(table.state(lock).holder()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"ALOCK,0", "ALOCK,1", "MCS,0", "MCS,1", "SPIN,0", "SPIN,1"})
    void aViewThatIsUnlockedWhereTheStackIsFullIsUnlockedOrHeldAsBefore(LockAlgorithm algorithm, long index)
            throws Exception {
        LockTable table = worlds.getFirst().lockTable("table").algorithm(algorithm).locks(2).open();
        LockTable other = worlds.get(1).lockTable("table").algorithm(algorithm).locks(2).open();
        Lock view = table.asLockAt(index, true);
        view.lock();
        view.unlock();
        var deepest = new AtomicInteger();
        var held = new AtomicInteger();
        for (int number = 0; number < VIEW_DESCENTS; number++) {
            int unlockDepth = deepest.get() - number % 50;
            inSmallThread(() -> {
                var descent = new DeepUnlock(view, unlockDepth);
                held.addAndGet(descent.run() ? 1 : 0);
                deepest.set(descent.deepest);
            });
            Acquisition next = other.tryLockAt(index, Duration.ofSeconds(20));
            assertThat(next).as("after descent " + number).isNotNull();
            next.close();
        }
        assertThat(held).as("descents with too little room").hasPositiveValue();
    }
}
