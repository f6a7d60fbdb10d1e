package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves connections that have no thread of their own, one after the other, by one thread. It exists from the first of
 * them on. Whatever it does to a connection, it does by that thread: so a connection is not executed any more when the
 * thread has ended it.
 *
 * <p>An error while it serves a connection ends that one. After any other error nobody knows which connections the
 * selector would wait for. So all are ended, and their ranks connect anew.
 */
final class ServingLoop implements AutoCloseable {

    private static final long SELECT_MILLIS = 250;

    private final BackgroundThread thread;
    private final Queue<Serving> coming = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared(); // of the room
    private volatile @Nullable Selector selector; // written under the monitor, after the room
    private @Nullable Room room; // of the thread
    private final Set<Serving> served = new HashSet<>(); // of the thread, as what follows
    private boolean isUnsure; // about what the last step has done
    private volatile boolean mayBeAbandoned; // one of those that are served
    private final Consumer<SelectionKey> advancing = this::advance;

    ServingLoop(String name) {
        this.thread = new BackgroundThread(name, this::serve);
    }

    BackgroundThread thread() {
        return thread;
    }

    /** Sees to it that there is what a connection needs: it fails here, and not in the thread that serves others. */
    synchronized void open() throws IOException {
        if (room == null) {
            room = Room.allocate(arena);
        }
        if (selector == null) {
            selector = Selector.open();
        }
    }

    /** Serves the connection, whose channel does not block, from now on. The loop must be open. */
    void take(Serving serving) {
        coming.add(serving);
        wake();
    }

    /** The channel of a connection was closed. Needs no memory: a fence may wait for it. */
    void lookForAbandoned() {
        mayBeAbandoned = true;
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
        if (isUnsure) {
            served.removeIf(serving -> {
                serving.finish();
                return true;
            });
        }
        isUnsure = true;
        if (mayBeAbandoned) {
            mayBeAbandoned = false; // first: the channel of one that is abandoned now is closed already
            served.removeIf(Serving::finishAbandoned);
        }
        for (Serving next = coming.peek(); next != null; next = coming.peek()) {
            begin(next, ready);
        }
        ready.select(advancing, SELECT_MILLIS);
        isUnsure = false;
        // A channel that was closed gives its socket back when the selector has forgotten it.
        boolean isIdle = served.isEmpty() && ready.keys().isEmpty() && coming.isEmpty();
        return isIdle ? BackgroundThread.UNTIL_WOKEN : 0;
    }

    private void begin(Serving next, Selector ready) {
        served.add(next); // first: one that is neither here nor there would be served by nobody
        coming.poll();
        if (!next.begin(ready, room())) {
            served.remove(next);
        }
    }

    private void advance(SelectionKey key) {
        Serving serving = (Serving) key.attachment();
        if (!serving.advance(key, room())) {
            served.remove(serving);
        }
    }

    private Room room() {
        return Objects.requireNonNull(room);
    }

    /** No connection may be left. */
    @Override
    public void close() throws IOException {
        wake();
        boolean hasEnded = thread.end();
        try (Selector _ = selector) {
            coming.clear();
        } finally {
            if (hasEnded) {
                arena.close();
            }
        }
    }
}
