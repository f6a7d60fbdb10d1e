package io.atoll.lock.request;

import io.atoll.fabric.Clock;
import io.atoll.failure.FabricException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what threads of this process have begun and do not wait for: a request whose thread has given up stays in its queue, where others rely on it, until it
 * has been passed over; a release waits for the name of the next; a repair for those who are in the middle of something. A thread of its own does that, which lives as long as there is anything.
 */
public final class Keeper implements AutoCloseable {

    /** Something that ends by and by. */
    public interface Task {

        /**
         * Goes on as far as it can without waiting; true when it has ended.
         *
         * @throws FabricException when somebody is not there; it is called again later
         */
        boolean step();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

    private static final Duration LONGEST_STEP = Duration.ofSeconds(2);

    private final String name;
    private final Clock clock;
    private final boolean threaded;
    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /**
     * @param name of the thread
     * @param threaded false for those who call {@link #sweep} themselves
     */
    public Keeper(String name, Clock clock, boolean threaded) {
        this.name = name;
        this.clock = clock;
        this.threaded = threaded;
    }

    /** Goes on with it at once, as far as it can. */
    public void begin(Task task) {
        boolean ended = false;
        try {
            ended = task.step();
        } catch (FabricException notYet) {
            LOG.debug("cannot go on, will try again: {}", task, notYet);
        } finally {
            if (!ended) {
                add(task);
            }
        }
    }

    public void add(Task task) {
        tasks.add(task);
        start();
    }

    private void start() {
        if (threaded && !closed && running.compareAndSet(false, true)) {
            thread = Thread.ofPlatform().daemon().name(name).start(this::run);
        }
    }

    private void run() {
        for (int attempt = 0; !closed && !tasks.isEmpty(); attempt++) {
            if (sweep()) {
                attempt = 0;
            }
            clock.pause(attempt);
        }
        running.set(false);
        if (!tasks.isEmpty()) {
            start(); // one that was added just before
        }
    }

    /** One step of each; returns whether one has ended. */
    public boolean sweep() {
        boolean ended = false;
        for (Task task : List.copyOf(tasks)) {
            try {
                if (task.step()) {
                    tasks.remove(task);
                    ended = true;
                }
            } catch (FabricException notYet) {
                LOG.debug("cannot go on, will try again: {}", task, notYet);
            }
        }
        return ended;
    }

    /** How much there is to be ended. */
    public int tasks() {
        return tasks.size();
    }

    /** What is not ended by now stays as it is. Waits for the step that is under way, which is bounded as verbs are. */
    @Override
    public void close() {
        closed = true;
        Thread last = thread;
        if (last != null && last != Thread.currentThread()) {
            boolean interrupted = Thread.interrupted();
            try {
                last.join(LONGEST_STEP);
            } catch (InterruptedException again) {
                interrupted = true;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
