package io.atoll.fabric.interleaving;

import io.atoll.background.BackgroundThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One order of the steps of several threads, chosen by a seed. One thread runs at a time. {@link Instrumented} code
 * calls the static methods where it would use a lock, park, or touch what other threads see.
 *
 * <p>A wait with a timeout is one without: a wake-up that is missed shows as threads that all wait for each other.
 */
public final class Interleaving {

    private static final int MOST_STEPS = 20_000;
    private static final ThreadLocal<@Nullable Task> CURRENT = new ThreadLocal<>();

    private final Random random;
    private final int switchOneIn; // steps
    private final long stepNanos;
    private final List<Task> tasks = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private int steps;
    private boolean wokenBackground;
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;

    /** What several threads do, on its own objects. */
    public interface Scenario {

        /** Adds the threads. Returns what is to hold when they have ended. */
        Runnable begin(Interleaving threads, Random random);
    }

    /** An error that a thread meets while it waits. */
    public static final class Interruption extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Ends a thread when everything is over. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1L;

        private Ended() {
            super(null, null, false, false);
        }
    }

    private static final class Task {
        private final Interleaving schedule;
        private final String name;
        private final boolean isVirtual;
        private final boolean serves;
        private final Thread thread;
        private final Semaphore turn = new Semaphore(0);
        private @Nullable BooleanSupplier blockedOn;
        private boolean hasYielded;
        private boolean hasEnded;
        private boolean permit;
        private int parksUntilError = Integer.MAX_VALUE;

        private Task(Interleaving schedule, String name, boolean isVirtual, boolean serves, Runnable body) {
            this.schedule = schedule;
            this.name = name;
            this.isVirtual = isVirtual;
            this.serves = serves;
            this.thread = Thread.ofVirtual().unstarted(() -> schedule.run(this, body));
        }
    }

    private Interleaving(Random random) {
        this.random = random;
        this.switchOneIn = 1 << random.nextInt(5);
        this.stepNanos = random.nextBoolean() ? 100 : 4_000;
    }

    /** Runs the scenario in the order of that seed. */
    public static void explore(Scenario scenario, long seed) {
        Random random = new Random(seed);
        Interleaving threads = new Interleaving(random);
        Runnable check = scenario.begin(threads, random);
        threads.run();
        check.run();
    }

    /** Adds a thread that ends. */
    public void user(String name, boolean isVirtual, Runnable body) {
        tasks.add(new Task(this, name, isVirtual, false, body));
    }

    /** Adds a thread that is there as long as others are. */
    public void server(String name, Runnable body) {
        tasks.add(new Task(this, name, false, true, body));
    }

    /** The thread that was added last meets an error when it has waited so often. */
    public void failAt(int park) {
        tasks.getLast().parksUntilError = park;
    }

    private void run() {
        tasks.forEach(task -> task.thread.start());
        Task first = next();
        if (first != null) {
            first.turn.release();
        }
        try {
            if (!ended.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("a thread runs on without a step");
            }
            for (Task task : tasks) {
                task.thread.join();
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }

    private void run(Task task, Runnable body) {
        CURRENT.set(task);
        try {
            task.turn.acquireUninterruptibly();
            if (!isOver) {
                body.run();
            }
        } catch (Ended end) {
            // As it was told to.
        } catch (Throwable thrown) {
            fail(thrown);
        } finally {
            task.hasEnded = true;
            goOn();
        }
    }

    /** A thread has ended. */
    private void goOn() {
        if (isOver) {
            return;
        }
        if (tasks.stream().allMatch(task -> task.hasEnded || task.serves)) {
            end();
            return;
        }
        Task next = next();
        if (next == null) {
            fail(new AssertionError("nobody goes on: " + waiting()));
        } else {
            next.turn.release();
        }
    }

    private void end() {
        isOver = true;
        tasks.forEach(task -> task.turn.release());
        ended.countDown();
    }

    private void fail(Throwable thrown) {
        if (!isOver) {
            failure = thrown;
            end();
        }
    }

    private String waiting() {
        return tasks.stream().filter(task -> !task.hasEnded).map(task -> task.name).toList().toString();
    }

    private @Nullable Task next() {
        List<Task> ready = ready();
        if (ready.isEmpty()) {
            tasks.forEach(task -> task.hasYielded = false);
            ready = ready();
        }
        return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
    }

    private List<Task> ready() {
        return tasks.stream()
                .filter(task -> !task.hasEnded && !task.hasYielded
                        && (task.blockedOn == null || task.blockedOn.getAsBoolean()))
                .toList();
    }

    private void pass(Task me) {
        Task next = next();
        if (next == null) {
            fail(new AssertionError("nobody goes on: " + waiting()));
            throw new Ended();
        }
        if (next != me) {
            next.turn.release();
            me.turn.acquireUninterruptibly();
            if (isOver) {
                throw new Ended();
            }
        }
        me.hasYielded = false;
    }

    private static @Nullable Task current() {
        Task task = CURRENT.get();
        return task == null || task.schedule.isOver ? null : task;
    }

    /** The thread, which is about to wait. When everything is over, it ends instead. */
    private static @Nullable Task waitingTask() {
        Task task = CURRENT.get();
        if (task != null && task.schedule.isOver) {
            throw new Ended();
        }
        return task;
    }

    // --- what instrumented code calls ---

    /** Another thread may go on here. */
    public static void step() {
        Task me = current();
        if (me == null) {
            return;
        }
        Interleaving schedule = me.schedule;
        if (++schedule.steps > MOST_STEPS) {
            schedule.fail(new AssertionError("it does not end: " + schedule.waiting()));
            throw new Ended();
        }
        if (schedule.random.nextInt(schedule.switchOneIn) == 0) {
            schedule.pass(me);
        }
    }

    /** Others go on until this holds. */
    public static void await(BooleanSupplier condition) {
        Task me = waitingTask();
        if (me != null) {
            me.blockedOn = condition;
            me.schedule.pass(me);
            me.blockedOn = null;
        }
    }

    /** Others go on first, if they can. */
    public static void yield() {
        step();
        Task me = waitingTask();
        if (me != null) {
            me.hasYielded = true;
            me.schedule.pass(me);
        }
    }

    public static void parkNanos(Object blocker, long nanos) {
        step();
        Task me = waitingTask();
        if (me == null) {
            return;
        }
        if (--me.parksUntilError == 0) {
            throw new Interruption();
        }
        await(() -> me.permit);
        me.permit = false;
    }

    public static void unpark(@Nullable Thread thread) {
        step();
        Task me = current();
        if (me != null && thread != null) {
            me.schedule.tasks.stream().filter(task -> task.thread == thread).forEach(task -> task.permit = true);
        }
    }

    public static void lock(ReentrantLock lock) {
        step();
        while (!lock.tryLock()) {
            await(() -> !lock.isLocked());
        }
    }

    public static boolean tryLock(ReentrantLock lock) {
        step();
        return lock.tryLock();
    }

    public static void unlock(ReentrantLock lock) {
        lock.unlock();
        step();
    }

    public static boolean isVirtual(Thread thread) {
        Task me = CURRENT.get();
        return me != null && me.schedule.tasks.stream().anyMatch(task -> task.thread == thread && task.isVirtual);
    }

    public static long nanoTime() {
        Task me = CURRENT.get();
        return me == null ? 0 : me.schedule.steps * me.schedule.stepNanos;
    }

    /** A server stands for the thread. */
    public static void wake(BackgroundThread thread) {
        step();
        Task me = current();
        if (me != null) {
            me.schedule.wokenBackground = true;
        }
    }

    /** Waits until it is woken. */
    public static void rest() {
        Task me = waitingTask();
        if (me != null) {
            await(() -> me.schedule.wokenBackground);
            me.schedule.wokenBackground = false;
        }
    }
}
