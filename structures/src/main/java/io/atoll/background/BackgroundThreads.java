package io.atoll.background;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The threads that work for a world in this process. Any thread may use it. */
public final class BackgroundThreads {

    private final List<BackgroundThread> threads = new CopyOnWriteArrayList<>();

    /** Adds the thread until it is closed, and returns it. */
    public BackgroundThread add(BackgroundThread thread) {
        addAll(List.of(thread));
        return thread;
    }

    public void addAll(Collection<BackgroundThread> more) {
        threads.removeIf(BackgroundThread::isClosed);
        threads.addAll(more);
    }

    /**
     * Starts the threads that have something to do and could not be started. The caller calls this a few times a
     * second.
     */
    public void startMissing() {
        threads.forEach(BackgroundThread::startIfMissing);
    }

    /** Returns what keeps threads from their work now. Returns an empty list if all is well. */
    public List<BackgroundThread.Trouble> troubles() {
        return threads.stream().map(BackgroundThread::trouble).flatMap(Optional::stream).toList();
    }
}
