package io.atoll.memory;

import io.atoll.process.Program;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Uses a lock at each depth at which the stack has little room for it, or none. Meanwhile other threads use it, too.
 */
final class OverflowingProgram implements Program {

    private static final int STACK_BYTES = 256 << 10;
    // The number of depths in a row at which the stack does not overflow.
    private static final int ENOUGH = 20;
    // The depths are shifted this many times, by another frame each.
    private static final int SHIFTS = 4;
    // The pause of the other threads.
    private static final long PAUSE_NANOS = 50_000;
    // The number of calls after which the methods are compiled, if they may be.
    private static final int WARM_UP = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LOCKS = "java.util.concurrent.locks.";

    /** How the lock is acquired. */
    enum Way {
        LOCK, LOCK_INTERRUPTIBLY, TRY, TRY_FOR_A_WHILE, MONITOR
    }

    private final StackSafeLock lock = new StackSafeLock();
    private final Object monitor = new Object();
    // Turns of the other threads; guarded by the lock.
    private long turns;
    private long turnsInMonitor; // guarded by the monitor
    // True tells the other threads to end.
    private volatile boolean over;

    /** Calls itself down to a depth, and uses the lock there. */
    private final class Descent implements Runnable {

        private final Way way;
        private int useAt;
        private int deepest;
        // True if the stack is filled while the lock is held.
        private boolean isFilledWithin;
        private long used;
        // The number of depths at which the stack overflowed.
        private int overflown;
        // The number of errors within a lock.
        private int withinLocks;

        private Descent(Way way) {
            this.way = way;
        }

        private void descend(int depth) throws InterruptedException {
            deepest = depth;
            if (depth < useAt) {
                descend(depth + 1);
            } else {
                use();
            }
        }

        /** Its frame is larger than the other method's, so each number of frames shifts all depths. */
        private long shift(int frames, long one, long two, long three) throws InterruptedException {
            if (frames > 0) {
                return shift(frames - 1, two, three, one) + one;
            }
            descend(0);
            return one;
        }

        private void use() throws InterruptedException {
            switch (way) {
                case LOCK -> lock.lock();
                case LOCK_INTERRUPTIBLY -> lock.lockInterruptibly();
                case TRY -> {
                    if (!lock.tryLock()) {
                        return;
                    }
                }
                case TRY_FOR_A_WHILE -> {
                    if (!lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                        throw new IllegalStateException("nobody releases the lock");
                    }
                }
                case MONITOR -> {
                    synchronized (monitor) {
                        change();
                    }
                    return;
                }
            }
            try {
                change();
            } finally {
                lock.unlock();
            }
        }

        private void change() {
            used++;
            if (isFilledWithin) {
                fill(1);
            }
        }

        private int fill(int frames) {
            return fill(frames + 1) + 1;
        }

        private boolean overflowsAt(int depth, int shift) throws InterruptedException {
            useAt = depth;
            try {
                shift(shift, 1, 2, 3);
                return false;
            } catch (StackOverflowError full) {
                withinLocks += isWithinLock(full) ? 1 : 0;
                return true;
            }
        }

        private static boolean isWithinLock(StackOverflowError full) {
            StackTraceElement[] frames = full.getStackTrace();
            return frames.length > 0 && frames[0].getClassName().startsWith(LOCKS);
        }

        @Override
        public void run() {
            try {
                for (int call = 0; call < WARM_UP; call++) {
                    overflowsAt(call % 4, 0);
                }
                for (int shift = 0; shift < SHIFTS; shift++) {
                    isFilledWithin = shift % 2 == 1;
                    descendFromTheEnd(shift);
                }
            } catch (InterruptedException nobodyInterrupts) {
                throw new IllegalStateException(nobodyInterrupts);
            }
        }

        private void descendFromTheEnd(int shift) throws InterruptedException {
            overflowsAt(Integer.MAX_VALUE, shift);
            int inARow = 0;
            for (int depth = deepest; depth > 0 && inARow < ENOUGH; depth--) {
                long before = used;
                boolean isOverflown = overflowsAt(depth, shift);
                overflown += isOverflown ? 1 : 0;
                inARow = used > before ? inARow + 1 : 0;
                if (lock.isHeldByCurrentThread() || Thread.holdsLock(monitor)) {
                    throw new IllegalStateException("the thread still holds it: depth=" + depth + " shift=" + shift);
                }
            }
        }
    }

    private void takeTurns() {
        while (!over) {
            takeTurn();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void takeTurn() {
        lock.lock();
        try {
            turns++;
        } finally {
            lock.unlock();
        }
        synchronized (monitor) {
            turnsInMonitor++;
        }
    }

    /**
     * Obeys {@code run platform|virtual WAY}. Returns the number of depths that overflowed, and how often this was
     * within a lock.
     */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        over = false;
        boolean isVirtual = arguments.get(0).equals("virtual");
        List<Thread> others = List.of(Thread.ofPlatform().daemon().start(this::takeTurns),
                Thread.ofVirtual().start(this::takeTurns));
        Descent descent = new Descent(Way.valueOf(arguments.get(1)));
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread.Builder builder = isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon().stackSize(STACK_BYTES);
        Thread thread = builder.uncaughtExceptionHandler((_, thrown) -> failure.set(thrown)).start(descent);
        awaitEnd(thread);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(thrown);
        }
        over = true;
        for (Thread other : others) {
            awaitEnd(other);
        }
        Thread last = Thread.ofPlatform().daemon().start(this::takeTurn);
        awaitEnd(last);
        return descent.overflown + " " + descent.withinLocks;
    }

    private static void awaitEnd(Thread thread) throws InterruptedException {
        if (!thread.join(PATIENCE)) {
            throw new IllegalStateException("nobody has released it: at=" + Arrays.toString(thread.getStackTrace()));
        }
    }

    @Override
    public void close() {
        over = true;
    }
}
