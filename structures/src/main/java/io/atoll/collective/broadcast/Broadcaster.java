package io.atoll.collective.broadcast;

import io.atoll.failure.FencedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a process that passes on what arrives in its windows (Paznikov, section 2.2). It is started with the first window. */
public final class Broadcaster implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Broadcaster.class);
    private static final int SPINS = 100;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /**
     * How often it looks for requests: as fast as it can so many times after it has found one, though it lets others have the processor meanwhile, then at intervals.
     *
     * @param looks without an interval
     * @param interval the longer, the less it takes of a processor, and the longer the first request of a while waits
     */
    public record Polling(int looks, Duration interval) {

        public static final Polling DEFAULT = new Polling(2_000, Duration.ofNanos(200_000));

        public Polling {
            if (looks < 0 || !interval.isPositive()) {
                throw new IllegalArgumentException("looks are not negative, and an interval is positive: looks=" + looks
                        + " interval=" + interval);
            }
        }
    }

    private final String world;
    private final Polling polling;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private @Nullable Thread thread; // guarded by this

    /** @param world its name */
    public Broadcaster(String world, Polling polling) {
        this.world = world;
        this.polling = polling;
    }

    /** The window of that name, opened at its first use: a process has one of each, since it counts what goes through it. */
    Window window(String name, Supplier<Window> opening) {
        Window window = windows.computeIfAbsent(name, _ -> opening.get());
        start();
        return window;
    }

    List<Window> windows() {
        return List.copyOf(windows.values());
    }

    private synchronized void start() {
        if (closed) {
            throw new IllegalStateException("this process has left its world: world=" + world);
        }
        if (thread == null) {
            thread = Thread.ofPlatform().name("atoll-broadcaster-" + world).daemon().start(this::work);
        }
    }

    private void work() {
        int idle = 0;
        while (!closed) {
            try {
                idle = passOn() ? 0 : idle + 1;
            } catch (FencedException fenced) {
                return; // the world has said so, and nothing of this process goes on
            } catch (RuntimeException failure) {
                if (closed) {
                    return;
                }
                LOG.error("cannot pass broadcasts on, will try again: world={}", world, failure);
                idle = polling.looks();
            }
            if (idle < Math.min(SPINS, polling.looks())) {
                Thread.onSpinWait();
            } else if (idle < polling.looks()) {
                Thread.yield(); // where there are more ranks than processors, what is waited for comes from those who have none
            } else {
                idle = polling.looks();
                LockSupport.parkNanos(polling.interval().toNanos());
            }
        }
    }

    private boolean passOn() {
        boolean worked = false;
        for (Window window : windows.values()) {
            worked |= window.passOn();
        }
        return worked;
    }

    /** Ends the thread. Broadcasts are passed on no more. */
    @Override
    public void close() {
        closed = true;
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null) {
            LockSupport.unpark(running);
            if (!hasEnded(running)) {
                LOG.warn("the broadcaster does not end: world={}", world);
            }
        }
    }

    /** By an interrupted thread, too: memory must not be given back under the broadcaster. */
    private static boolean hasEnded(Thread running) {
        boolean interrupted = Thread.interrupted();
        try {
            return running.join(CLOSE_TIMEOUT);
        } catch (InterruptedException again) {
            interrupted = true;
            return !running.isAlive();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
