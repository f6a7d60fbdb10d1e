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
 * Serves connections that have no thread of their own, one after the other, by a single thread. The thread exists from
 * the first connection on. It does everything that the loop does to a connection. So when it has ended a connection,
 * nothing of that connection is executed any more.
 *
 * <p>An error while it serves a connection ends that connection. After any other error it is unknown which connections
 * the selector would wait for. So the loop ends all of them, and their ranks connect again.
 */
final class ServingLoop implements AutoCloseable {

    private final BackgroundThread thread;
    private final Queue<AcceptedConnection> coming = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared(); // of the buffers
    private volatile @Nullable Selector selector; // written under the monitor, after the buffers
    private @Nullable ServingBuffers servingBuffers; // used by the thread only
    // used by the thread only, as are the next two fields
    private final Set<AcceptedConnection> served = new HashSet<>();
    private boolean isUnsure; // true if it is unknown what the last step has done
    private final Spin spin;
    private volatile boolean mayBeAbandoned; // true if a served connection may be abandoned
    private final Consumer<SelectionKey> advancing = this::advance;

    ServingLoop(String name, Spin spin) {
        this.spin = spin;
        this.thread = new BackgroundThread(name, this::serve);
    }

    BackgroundThread thread() {
        return thread;
    }

    /** Allocates what connections need. It may fail here, but not in the thread that serves others. */
    synchronized void open() throws IOException {
        if (servingBuffers == null) {
            servingBuffers = ServingBuffers.allocate(arena);
        }
        if (selector == null) {
            selector = Selector.open();
        }
    }

    /** Serves the connection from now on. Its channel must not block, and the loop must be open. */
    void take(AcceptedConnection connection) {
        coming.add(connection);
        wake();
    }

    /** Looks for connections whose channel was closed. Allocates nothing, since a fence may wait for it. */
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
            served.removeIf(connection -> {
                connection.finish();
                return true;
            });
        }
        isUnsure = true;
        if (mayBeAbandoned) {
            mayBeAbandoned = false; // first: a connection that is abandoned after this has its channel closed already
            served.removeIf(AcceptedConnection::finishAbandoned);
        }
        for (AcceptedConnection next = coming.peek(); next != null; next = coming.peek()) {
            begin(next, ready);
        }
        spin.select(ready, advancing);
        isUnsure = false;
        // A closed channel gives its socket back when the selector has forgotten it.
        boolean isIdle = served.isEmpty() && ready.keys().isEmpty() && coming.isEmpty();
        return isIdle ? BackgroundThread.UNTIL_WOKEN : 0;
    }

    private void begin(AcceptedConnection next, Selector ready) {
        served.add(next); // first: a connection in neither collection would never be served
        coming.poll();
        if (!next.begin(ready, servingBuffers())) {
            served.remove(next);
        }
    }

    private void advance(SelectionKey key) {
        AcceptedConnection connection = (AcceptedConnection) key.attachment();
        if (!connection.advance(key, servingBuffers())) {
            served.remove(connection);
        }
    }

    private ServingBuffers servingBuffers() {
        return Objects.requireNonNull(servingBuffers);
    }

    /** Ends the thread. No connection may be left. */
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
