package io.atoll.lock;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Clock;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes work that threads of this process have begun and do not wait for. A {@link BackgroundThread} does it. There
 * are three kinds of work:
 * <ul>
 * <li>A request whose thread has given up stays in its queue until its turn has passed. Others rely on it there.
 * <li>A release waits for the name of its successor.
 * <li>A repair waits for requests that are in the middle of a step.
 * </ul>
 *
 * <p>A task that was handed over is never lost, whatever its steps throw: another rank waits for its end. Handing it
 * over allocates no memory, so it cannot fail.
 */
final class BackgroundTasks implements AutoCloseable {

    /** Work that ends step by step. It is handed over once. */
    public abstract static class Task {

        private @Nullable Task next; // in the list that holds this task
        private volatile boolean counted;
        private volatile boolean added;

        /**
         * Goes on as far as it can without waiting. Returns true when it has ended.
         *
         * @throws FabricException if a rank cannot be reached. The background thread calls this again later
         */
        public abstract boolean step();

        /** Returns true if it was handed over. */
        public final boolean isAdded() {
            return added;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

    private final Clock clock;
    private final @Nullable BackgroundThread thread;
    private final AtomicReference<@Nullable Task> added = new AtomicReference<>(); // the latest first
    private final AtomicInteger tasks = new AtomicInteger();

    // Only the sweeping thread uses these: the list of tasks, the oldest first, and the number of sweeps in vain.
    private @Nullable Task first;
    private @Nullable Task last;
    private int attempt;

    private BackgroundTasks(Clock clock, @Nullable String name) {
        this.clock = clock;
        this.thread = name == null ? null : new BackgroundThread(name, this::keep);
        rehearse();
    }

    /**
     * Hands over a task in advance. The first exchange of an atomic reference links it, which allocates memory. When a
     * real task is handed over, there may be none.
     */
    private void rehearse() {
        handOver(new Task() {

            @Override
            public boolean step() {
                return true;
            }
        });
        sweep();
    }

    /** Returns tasks whose thread has that name. */
    public static BackgroundTasks threaded(String name, Clock clock) {
        return new BackgroundTasks(clock, name);
    }

    /** Returns tasks without a thread. Their user calls {@link #sweep}. */
    public static BackgroundTasks unthreaded(Clock clock) {
        return new BackgroundTasks(clock, null);
    }

    /** Returns its thread, so that the process can look after all of its threads. */
    public Optional<BackgroundThread> thread() {
        return Optional.ofNullable(thread);
    }

    /** Goes on with the task at once, as far as it can. Hands it over if it has not ended. */
    public void begin(Task task) {
        boolean ended = false;
        try {
            ended = task.step();
        } catch (FencedException over) {
            ended = isOver(task, over);
        } catch (FabricException notYet) {
            LOG.debug("cannot go on, will try again: {}", task, notYet);
        } finally {
            if (!ended) {
                add(task);
            }
        }
    }

    /** Hands the task over. Does nothing the second time. */
    public void add(Task task) {
        if (!task.added) {
            handOver(task);
            wake();
        }
    }

    private void handOver(Task task) {
        if (!task.counted) {
            tasks.incrementAndGet();
            task.counted = true;
        }
        do {
            task.next = added.get();
        } while (!added.compareAndSet(task.next, task));
        task.added = true;
    }

    /** Called when a task can go on. The background thread then takes its next step without delay. */
    public void wake() {
        if (thread != null) {
            thread.wake();
        }
    }

    private long keep() {
        if (tasks.get() == 0) {
            return BackgroundThread.UNTIL_WOKEN;
        }
        attempt = sweep() ? 0 : attempt + 1;
        clock.pause(attempt);
        return 0;
    }

    /**
     * Does one step of each task; returns true if one has ended. Called by one thread at a time. A task whose step
     * throws something unexpected comes last in the next sweep. The tasks behind it come first.
     */
    public boolean sweep() {
        appendAdded();
        boolean ended = false;
        for (Task end = last, task = poll(); task != null; task = task == end ? null : poll()) {
            boolean over = false;
            try {
                over = task.step();
            } catch (FencedException forGood) {
                over = isOver(task, forGood);
            } catch (FabricException notYet) {
                LOG.debug("cannot go on, will try again: {}", task, notYet);
            } finally {
                if (over) {
                    tasks.decrementAndGet();
                    ended = true;
                } else {
                    append(task);
                }
            }
        }
        return ended;
    }

    /** This process takes part no more: the other ranks do what it has left undone. */
    private static boolean isOver(Task task, FencedException forGood) {
        LOG.debug("is left to the others: {}", task, forGood);
        return true;
    }

    private void appendAdded() {
        Task reversed = null;
        for (Task task = added.getAndSet(null); task != null;) {
            Task before = task.next;
            task.next = reversed;
            reversed = task;
            task = before;
        }
        while (reversed != null) {
            Task next = reversed.next;
            append(reversed);
            reversed = next;
        }
    }

    private void append(Task task) {
        task.next = null;
        if (last == null) {
            first = task;
        } else {
            last.next = task;
        }
        last = task;
    }

    private @Nullable Task poll() {
        Task task = first;
        if (task != null) {
            first = task.next;
            if (first == null) {
                last = null;
            }
        }
        return task;
    }

    /** Returns the number of tasks that have not ended. */
    public int tasks() {
        return tasks.get();
    }

    /**
     * Stops the background thread. Unfinished tasks stay as they are. Waits for the present step, which is bounded as
     * verbs are.
     */
    @Override
    public void close() {
        if (thread != null) {
            thread.close();
        }
    }
}
