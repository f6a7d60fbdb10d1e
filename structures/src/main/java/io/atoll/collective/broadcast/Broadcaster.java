package io.atoll.collective.broadcast;

import io.atoll.fabric.Clock;
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
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final String world;
    private final Duration interval;
    private final int restless; // rests that are shorter
    private final Map<String, Window> windows = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private @Nullable Thread thread; // guarded by this

    /**
     * @param world its name
     * @param interval how long it sleeps at most between two looks; after it has found something it spins, then sleeps longer each time
     */
    public Broadcaster(String world, Duration interval) {
        this.world = world;
        this.interval = interval;
        this.restless = Clock.attemptOf(interval);
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
                idle = passOn() ? 0 : Math.min(idle + 1, restless);
            } catch (FencedException fenced) {
                return; // the world has said so, and nothing of this process goes on
            } catch (RuntimeException failure) {
                if (closed) {
                    return;
                }
                LOG.error("cannot pass broadcasts on, will try again: world={}", world, failure);
                idle = restless;
            }
            rest(idle);
        }
    }

    /** Short, and soon without the processor: where there are more ranks than processors, what is waited for comes from those who have none. */
    private void rest(int idle) {
        if (idle < restless) {
            Clock.SYSTEM.pause(idle);
        } else {
            LockSupport.parkNanos(interval.toNanos());
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
