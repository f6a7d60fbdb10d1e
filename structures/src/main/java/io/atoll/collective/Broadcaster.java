package io.atoll.collective;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Clock;
import io.atoll.failure.FencedException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The thread of a process that passes on what arrives in its windows (Paznikov, section 2.2). It starts with the first
 * window.
 */
final class Broadcaster implements AutoCloseable {

    private final String world;
    private final Duration interval;
    private final int restless; // the number of pauses that are shorter than the interval
    private final Set<Window> windows = ConcurrentHashMap.newKeySet();
    private final BackgroundThread thread;
    private int idle; // the looks in a row that have found nothing; used by the thread alone

    /**
     * @param world the world's name
     * @param interval how long it sleeps at most between two looks. After it has found something it spins, then sleeps
     * longer each time
     * @param background the place where its thread is supervised
     */
    public Broadcaster(String world, Duration interval, BackgroundThreads background) {
        this.world = world;
        this.interval = interval;
        this.restless = Clock.attemptOf(interval);
        this.thread = background.add(new BackgroundThread("atoll-broadcaster-" + world, this::work));
    }

    /** From now on, until this process is fenced, passes on what arrives in the window. Returns the window. */
    Window add(Window window) {
        if (thread.isClosed()) {
            throw new IllegalStateException("this process has left its world: world=" + world);
        }
        windows.add(window);
        thread.wake();
        return window;
    }

    private long work() {
        if (windows.isEmpty()) {
            return BackgroundThread.UNTIL_WOKEN;
        }
        idle = BackgroundThread.each(windows, this::passOn) ? 0 : Math.min(idle + 1, restless);
        // The pause is short at first, and soon gives up the processor. Where there are more ranks than processors, the
        // awaited data comes from ranks that have no processor.
        if (idle < restless) {
            Clock.SYSTEM.pause(idle);
            return 0;
        }
        return interval.toNanos();
    }

    private boolean passOn(Window window) {
        try {
            return window.passOn();
        } catch (FencedException over) {
            // The world has reported that. Another life of this process opens a window of its own.
            windows.remove(window);
            return false;
        }
    }

    /** Ends the thread. Broadcasts are no longer passed on. Memory must not be given back while it runs. */
    @Override
    public void close() {
        thread.close();
    }
}
