package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves connections that have no thread of their own, one after the other, by one thread. It exists from the first of
 * them on. Whatever it does to a connection, it does by that thread: so a connection is not executed any more when the
 * thread has ended it.
 */
final class ServingLoop implements AutoCloseable {

    private static final long SELECT_MILLIS = 250;

    private final BackgroundThread thread;
    private final Queue<Serving> coming = new ConcurrentLinkedQueue<>();
    private final Queue<Serving> ending = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Selector selector; // written under the monitor
    private @Nullable Room room; // of the thread
    private final Consumer<SelectionKey> advancing = key -> ((Serving) key.attachment()).advance(key, room());

    ServingLoop(String name) {
        this.thread = new BackgroundThread(name, this::serve);
    }

    BackgroundThread thread() {
        return thread;
    }

    /** Serves the connection, whose channel does not block, from now on. */
    void take(Serving serving) throws IOException {
        open();
        coming.add(serving);
        wake();
    }

    private synchronized void open() throws IOException {
        if (selector == null) {
            selector = Selector.open();
        }
    }

    /** Lets the thread end the connection, whose channel is closed. */
    void end(Serving serving) {
        ending.add(serving);
        wake();
    }

    private void wake() {
        Selector waiting = selector;
        if (waiting != null) {
            waiting.wakeup();
        }
        thread.wake();
    }

    private long serve() throws IOException {
        Selector ready = selector;
        if (ready == null) {
            return BackgroundThread.UNTIL_WOKEN;
        }
        for (Serving serving = ending.poll(); serving != null; serving = ending.poll()) {
            serving.finish();
        }
        Room own = room(); // before a connection is taken from a queue: it must not be lost where there is no memory
        for (Serving serving = coming.poll(); serving != null; serving = coming.poll()) {
            serving.begin(ready, own);
        }
        ready.select(advancing, SELECT_MILLIS);
        boolean isIdle = ready.keys().isEmpty() && ending.isEmpty() && coming.isEmpty();
        return isIdle ? BackgroundThread.UNTIL_WOKEN : 0;
    }

    private Room room() {
        Room present = room;
        if (present == null) {
            present = Room.allocate(Arena.ofAuto());
            room = present;
        }
        return present;
    }

    /** No connection may be left. */
    @Override
    public void close() throws IOException {
        wake();
        thread.end();
        try (Selector _ = selector) {
            ending.clear();
        }
    }
}
