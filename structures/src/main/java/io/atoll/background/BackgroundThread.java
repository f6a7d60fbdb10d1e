package io.atoll.background;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that repeats a step until it is closed, whatever happens. It survives everything that a step throws,
 * including errors of the virtual machine: it rests for {@value #RETRY_MILLIS} ms and tries again. The thread may fail
 * to start, for want of memory or because the process has too many threads. Then its task stays, and
 * {@link BackgroundThreads#startMissing} starts it later. {@link #trouble} and the log tell what keeps it from its
 * work. The log has each kind of failure once until the thread works again. If the thread works and fails in turn, the
 * log has it at most once a minute.
 *
 * <p>The thread inherits no thread-local of the caller that starts it. Except for the log, nothing that it does for
 * itself allocates memory.
 */
public final class BackgroundThread implements AutoCloseable {

    /**
     * The cause that keeps a background thread from its work.
     *
     * @param thread its name
     * @param problem what has happened
     * @param since how long ago that began
     */
    public record Trouble(String thread, String problem, Duration since) {}

    /** The step that a thread repeats. */
    @FunctionalInterface
    public interface Step {

        /**
         * Goes on as far as it can.
         *
         * @return how many nanoseconds the thread may rest before the next step, unless it is woken
         * @throws Exception if it could not; the thread tries again soon
         */
        long run() throws Exception;
    }

    /** The result of a step that has nothing more to do until a caller wakes the thread. */
    public static final long UNTIL_WOKEN = Long.MAX_VALUE;

    static final long RETRY_MILLIS = 100;

    private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

    /** A step that takes longer is trouble: the longest, a membership that joins again, takes a minute. */
    static final Duration LONGEST_STEP = Duration.ofMinutes(2);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final long RESTING = 0;

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThread.class);

    private final String name;
    private final Step step;
    private final ThreadFactory factory;
    private final long tellAgainNanos;
    private volatile @Nullable Thread thread; // written under the lock, and by the thread when it ends
    private volatile boolean wanted;
    private volatile boolean woken;
    private volatile boolean closed;

    private volatile @Nullable Throwable failure; // of the last step, or of the last start
    private volatile long failedNanos; // when the first failure in a row happened
    private volatile int failures; // in a row; written by the thread, or under the lock while there is none
    private volatile long stepBeganNanos = RESTING;
    // when the log last had a kind of failure; written as failures
    private final Map<Class<?>, Long> toldNanos = new HashMap<>();
    private boolean isTold; // true if the log has had one of the failures in a row; written as failures

    public BackgroundThread(String name, Step step) {
        this(name, step, Thread.ofPlatform().name(name).daemon().inheritInheritableThreadLocals(false).factory());
    }

    BackgroundThread(String name, Step step, ThreadFactory factory) {
        this(name, step, factory, TELL_AGAIN);
    }

    /** @param tellAgain after how long the log has a kind of failure once more */
    BackgroundThread(String name, Step step, ThreadFactory factory, Duration tellAgain) {
        this.tellAgainNanos = tellAgain.toNanos();
        this.name = name;
        this.step = step;
        this.factory = factory;
    }

    /** Returns a step that runs the action at once, and again whenever the interval has passed since the last time. */
    public static Step every(Duration interval, Runnable action) {
        long nanos = interval.toNanos();
        return () -> {
            action.run();
            return nanos;
        };
    }

    /** As {@link #every}, but lets the interval pass before the first time, too. */
    public static Step afterEvery(Duration interval, Runnable action) {
        Step later = every(interval, action);
        return new Step() {

            private boolean rested; // used by the thread alone

            @Override
            public long run() throws Exception {
                if (!rested) {
                    rested = true;
                    return interval.toNanos();
                }
                return later.run();
            }
        };
    }

    /** Runs one action after the other, even if others throw, and throws the last exception that was thrown. */
    public static void all(Runnable... actions) {
        each(List.of(actions), action -> {
            action.run();
            return true;
        });
    }

    /**
     * Applies the action to each element, even if it throws for others, and throws the last exception that was thrown.
     *
     * @return true if the action has returned true for one of them
     */
    public static <T> boolean each(Iterable<T> all, Predicate<T> action) {
        boolean any = false;
        Throwable failure = null;
        for (T one : all) {
            try {
                any |= action.test(one);
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return any;
    }

    /**
     * Starts the thread, for a caller that cannot do without it.
     *
     * @throws OutOfMemoryError if it cannot be started
     */
    public void start() {
        wake();
        Throwable unstarted = failure;
        if (thread == null && unstarted != null) {
            stop();
            if (unstarted instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("a thread cannot be started: thread=" + name, unstarted);
        }
    }

    /**
     * Lets the thread do its step soon, and starts it at the first call. Never fails: a thread that cannot be started
     * now is started later.
     */
    public void wake() {
        wanted = true;
        woken = true;
        Thread running = thread;
        if (running == null) {
            startIfMissing();
        } else {
            LockSupport.unpark(running);
        }
    }

    void startIfMissing() {
        if (wanted && thread == null) {
            tryToStart();
        }
    }

    private synchronized void tryToStart() {
        if (closed || thread != null) {
            return;
        }
        try {
            Thread created = factory.newThread(this::run);
            thread = created;
            created.start();
        } catch (Throwable unstarted) {
            thread = null;
            failed(unstarted);
        }
    }

    private void run() {
        try {
            while (!closed) {
                repeat();
            }
        } finally {
            thread = null;
        }
    }

    private void repeat() {
        try {
            woken = false;
            stepBeganNanos = System.nanoTime() | 1; // never equal to RESTING
            long restNanos = step.run();
            stepBeganNanos = RESTING;
            if (failure != null) {
                recovered();
            }
            rest(restNanos, false);
        } catch (Throwable thrown) {
            stepBeganNanos = RESTING;
            failed(thrown);
            rest(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS), true);
        }
    }

    /**
     * @param whole true if a wake-up does not shorten the rest: a failing step is not tried as often as callers ask for
     * it
     */
    private void rest(long nanos, boolean whole) {
        long beganNanos = System.nanoTime();
        long leftNanos = nanos;
        while (leftNanos > 0 && !closed && (whole || !woken)) {
            Thread.interrupted(); // an interrupted thread would not rest
            LockSupport.parkNanos(this, leftNanos);
            leftNanos = nanos - (System.nanoTime() - beganNanos);
        }
    }

    private void failed(Throwable thrown) {
        long nowNanos = System.nanoTime();
        if (failure == null) {
            failedNanos = nowNanos;
        }
        failure = thrown;
        failures = failures + 1;
        if (!closed) {
            report(thrown, nowNanos);
        }
    }

    /**
     * Logs a failure that is not due at the debug level only: a step that fails ten times a second would fill the log.
     */
    private void report(Throwable thrown, long nowNanos) {
        try {
            if (isDue(thrown.getClass(), nowNanos)) {
                toldNanos.put(thrown.getClass(), nowNanos);
                isTold = true;
                LOG.error("a thread of the background cannot do its work, will try again: thread={}", name, thrown);
            } else {
                LOG.debug("a thread of the background still cannot do its work: thread={} failures={}", name, failures,
                        thrown);
            }
        } catch (Throwable noMemoryForTheLog) {
            // The trouble tells it, and it is more important that the thread goes on.
            failure = thrown;
        }
    }

    /** Returns true once for the failures in a row, and never shortly after this kind was logged before. */
    private boolean isDue(Class<?> kind, long nowNanos) {
        Long last = toldNanos.get(kind);
        return last == null || last - failedNanos < 0 && nowNanos - last >= tellAgainNanos;
    }

    private void recovered() {
        int before = failures;
        boolean told = isTold;
        failures = 0;
        isTold = false;
        failure = null;
        if (told) {
            LOG.info("a thread of the background does its work again: thread={} failures={}", name, before);
        }
    }

    /** Returns what keeps the thread from its work now. */
    public Optional<Trouble> trouble() {
        Throwable thrown = failure;
        long nowNanos = System.nanoTime();
        if (closed) {
            return Optional.empty();
        }
        if (thrown != null) {
            String problem = (thread == null ? "cannot be started: " : "its last step has failed: ") + thrown;
            return Optional.of(new Trouble(name, problem, Duration.ofNanos(nowNanos - failedNanos)));
        }
        long beganNanos = stepBeganNanos;
        Duration inStep = Duration.ofNanos(beganNanos == RESTING ? 0 : nowNanos - beganNanos);
        return inStep.compareTo(LONGEST_STEP) > 0
                ? Optional.of(new Trouble(name, "its step does not end", inStep))
                : Optional.empty();
    }

    /** Returns true if the thread has been told to end. A step that takes long asks now and then. */
    public boolean isClosed() {
        return closed;
    }

    /** As {@link #end}. */
    @Override
    public void close() {
        end();
    }

    /** As {@link #end(Duration)}, and waits for at most 10 s. */
    public boolean end() {
        return end(CLOSE_TIMEOUT);
    }

    /**
     * Ends the thread. Waits for the step that is under way. An interrupted caller waits, too: callers often give back
     * next what the step uses.
     *
     * @param timeout the longest wait
     * @return true if the thread has ended
     */
    public boolean end(Duration timeout) {
        Thread running = stop();
        boolean ended = running == null || running == Thread.currentThread() || awaitEnd(running, timeout);
        if (!ended) {
            LOG.warn("a thread of the background does not end, and is left alone: thread={}", name);
        }
        return ended;
    }

    /**
     * Ends the thread after the step that is under way, and does not wait for that step. Returns the thread, if it
     * runs.
     */
    public @Nullable Thread stop() {
        closed = true;
        Thread running;
        // A caller that starts the thread now either has done so or will not do so.
        synchronized (this) {
            running = thread;
        }
        LockSupport.unpark(running);
        return running;
    }

    private static boolean awaitEnd(Thread running, Duration timeout) {
        long deadlineNanos = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return running.join(Duration.ofNanos(deadlineNanos - System.nanoTime()));
                } catch (InterruptedException notNow) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return "BackgroundThread[" + name + "]";
    }
}
