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
 * Ends what threads of this process have begun and do not wait for: a request whose thread has given up stays in its queue, where others rely on it, until it
 * has been passed over; a release waits for the name of the next; a repair for those who are in the middle of something. A {@link BackgroundThread} does that.
 *
 * <p>A task that was handed over is never lost, whatever its steps throw: another rank waits for what it ends. Handing it over allocates no memory, so it cannot fail.
 */
final class Keeper implements AutoCloseable {

    /** Something that ends by and by. Handed to one keeper. */
    public abstract static class Task {

        private @Nullable Task next; // in the list that it is in
        private volatile boolean counted;
        private volatile boolean added;

        /**
         * Goes on as far as it can without waiting; true when it has ended.
         *
         * @throws FabricException when somebody is not there; it is called again later
         */
        public abstract boolean step();

        /** Whether it was handed to its keeper. */
        public final boolean isAdded() {
            return added;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

    private final Clock clock;
    private final @Nullable BackgroundThread thread;
    private final AtomicReference<@Nullable Task> added = new AtomicReference<>(); // the latest first
    private final AtomicInteger tasks = new AtomicInteger();

    // Of the one who sweeps: what is to be done, the oldest first.
    private @Nullable Task first;
    private @Nullable Task last;
    private int attempt;

    private Keeper(Clock clock, @Nullable String name) {
        this.clock = clock;
        this.thread = name == null ? null : new BackgroundThread(name, this::keep);
        rehearse();
    }

    /** The first exchange of an atomic reference links it, and that allocates memory. When a task is handed over there may be none. */
    private void rehearse() {
        handOver(new Task() {

            @Override
            public boolean step() {
                return true;
            }
        });
        sweep();
    }

    /** A keeper whose thread has that name. */
    public static Keeper threaded(String name, Clock clock) {
        return new Keeper(clock, name);
    }

    /** A keeper without a thread, for one that calls {@link #sweep} itself. */
    public static Keeper unthreaded(Clock clock) {
        return new Keeper(clock, null);
    }

    /** Returns its thread, for those who look after all of them. */
    public Optional<BackgroundThread> thread() {
        return Optional.ofNullable(thread);
    }

    /** Goes on with the task at once, as far as it can. */
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

    /** Does nothing the second time. */
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

    /** A task can go on: it does so without delay. */
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
     * One step of each; returns whether one has ended. Called by one thread at a time. A task whose step throws something unexpected comes last in the next sweep, and those
     * behind it come first.
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

    /** This process takes part no more: the others do what it has left undone. */
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

    /** How much there is to be ended. */
    public int tasks() {
        return tasks.get();
    }

    /** What is not ended by now stays as it is. Waits for the step that is under way, which is bounded as verbs are. */
    @Override
    public void close() {
        if (thread != null) {
            thread.close();
        }
    }
}
