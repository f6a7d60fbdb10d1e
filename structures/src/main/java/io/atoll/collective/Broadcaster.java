package io.atoll.collective;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Clock;
import io.atoll.failure.FencedException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The thread of a process that passes on what arrives in its windows (Paznikov, section 2.2). It is started with the first window. */
final class Broadcaster implements AutoCloseable {

    private final String world;
    private final Duration interval;
    private final int restless; // rests that are shorter
    private final Set<Window> windows = ConcurrentHashMap.newKeySet();
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

    /** From now on what arrives in the window is passed on, until this process is fenced. Returns the window. */
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
        // Short, and soon without the processor: where there are more ranks than processors, what is waited for comes from those who have none.
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
            // The world has said so. Another life of this process opens a window of its own.
            windows.remove(window);
            return false;
        }
    }

    /** Ends the thread. Broadcasts are passed on no more. Memory must not be given back under it. */
    @Override
    public void close() {
        thread.close();
    }
}
