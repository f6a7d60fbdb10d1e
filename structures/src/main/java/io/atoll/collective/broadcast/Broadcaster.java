package io.atoll.collective.broadcast;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Clock;
import io.atoll.failure.FencedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The thread of a process that passes on what arrives in its windows (Paznikov, section 2.2). It is started with the first window. */
public final class Broadcaster implements AutoCloseable {

    private final String world;
    private final Duration interval;
    private final int restless; // rests that are shorter
    private final Map<String, Window> windows = new ConcurrentHashMap<>();
    private final BackgroundThread thread;
    private int idle; // looks that have found nothing; of the thread alone

    /**
     * @param world its name
     * @param interval how long it sleeps at most between two looks; after it has found something it spins, then sleeps longer each time
     * @param background where its thread is looked after
     */
    public Broadcaster(String world, Duration interval, BackgroundThreads background) {
        this.world = world;
        this.interval = interval;
        this.restless = Clock.attemptOf(interval);
        this.thread = background.add(new BackgroundThread("atoll-broadcaster-" + world, this::work));
    }

    /** The window of that name, opened at its first use: a process has one of each, since it counts what goes through it. */
    Window window(String name, Supplier<Window> opening) {
        if (thread.isClosed()) {
            throw new IllegalStateException("this process has left its world: world=" + world);
        }
        Window window = windows.computeIfAbsent(name, _ -> opening.get());
        thread.wake();
        return window;
    }

    List<Window> windows() {
        return List.copyOf(windows.values());
    }

    private long work() {
        try {
            idle = BackgroundThread.each(windows.values(), Window::passOn) ? 0 : Math.min(idle + 1, restless);
        } catch (FencedException fenced) {
            return BackgroundThread.UNTIL_WOKEN; // the world has said so, and nothing of this process goes on
        }
        // Short, and soon without the processor: where there are more ranks than processors, what is waited for comes from those who have none.
        if (idle < restless) {
            Clock.SYSTEM.pause(idle);
            return 0;
        }
        return interval.toNanos();
    }

    /** Ends the thread. Broadcasts are passed on no more. Memory must not be given back under it. */
    @Override
    public void close() {
        thread.close();
    }
}
