package io.atoll.memory;

import io.atoll.process.Program;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Uses a lock at each depth at which the stack has little room for it, or none, while others use it, too. */
final class OverflowingProgram implements Program {

    private static final int STACK_BYTES = 256 << 10;
    private static final int ENOUGH = 20; // depths at which it does not overflow, in a row
    private static final int SHIFTS = 4; // of the depths, by another frame each
    private static final long PAUSE_NANOS = 50_000; // of the others
    private static final int WARM_UP = 20_000; // calls, after which the methods are compiled where they may be
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LOCKS = "java.util.concurrent.locks.";

    /** How the lock is acquired. */
    enum Way {
        LOCK, LOCK_INTERRUPTIBLY, TRY, TRY_FOR_A_WHILE, MONITOR
    }

    private final StackSafeLock lock = new StackSafeLock();
    private final Object monitor = new Object();
    private long turns; // of the others; guarded by the lock
    private long turnsInMonitor; // guarded by the monitor
    private volatile boolean over; // so the others end

    /** Calls itself down to a depth, and uses the lock there. */
    private final class Descent implements Runnable {

        private final Way way;
        private int useAt;
        private int deepest;
        private boolean isFilledWithin; // the stack, while the lock is held
        private long used;
        private int overflown; // depths
        private int withinLocks; // errors

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

        /** Takes more of the stack than the other, so each number of them shifts all depths. */
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

    /** {@code run platform|virtual WAY}, answered by the depths that overflowed, and how often amid a lock */
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
