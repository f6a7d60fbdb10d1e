package io.atoll.admin.api;

import io.atoll.spring.state.overview.OverviewWatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter.DataWithMediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.ObjectMapper;

/**
 * Tells each listener the state of the world once a second. While there is a listener, one thread reads the state. Each
 * listener has a thread of its own, so one that does not read delays no other. A listener that does not read is left
 * out until it reads again. It does not need the states that it missed.
 *
 * <p>A listener that reads too slowly is dropped after {@link #PATIENCE}. A listener that does not read at all is
 * dropped when the server gives up writing. For Tomcat this is {@code server.tomcat.connection-timeout}, which defaults
 * to a minute.
 * <pre>
 *   watch ── look ── offer ──┬─ latest ── sender of A ── socket
 *     once a second          ├─ latest ── sender of B ── socket (full: the latest is replaced)
 *                            └─ ...
 * </pre>
 */
final class LiveFeed implements AutoCloseable {

    static final int MOST_LISTENERS = 16;

    static final Duration INTERVAL = Duration.ofSeconds(1);

    /** The longest time for which a sender may be busy with one event. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The longest time between two events. Only sending shows that a listener is gone. */
    private static final Duration HEART_BEAT = Duration.ofSeconds(15);

    /** The most characters of one write. The server does not return from a write while it makes progress. */
    private static final int PIECE_CHARS = 8 << 10;

    private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

    /** The longest life of a stream. After it, the listener connects again and is checked again. */
    private static final long LONGEST_MILLIS = Duration.ofMinutes(30).toMillis();

    private static final Logger LOG = LoggerFactory.getLogger(LiveFeed.class);

    private final OverviewWatch overviews;
    private final ObjectMapper json;
    private final ReentrantLock lock = new ReentrantLock();
    // Signalled when a listener leaves and when this is closed.
    private final Condition changed = lock.newCondition();
    // Changed under the lock.
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    // Guarded by the lock.
    private @Nullable Thread watch;
    private boolean closed; // guarded by the lock

    LiveFeed(OverviewWatch overviews, ObjectMapper json) {
        this.overviews = overviews;
        this.json = json;
    }

    /** Adds a listener. */
    SseEmitter join() {
        lock.lock();
        try {
            if (closed || listeners.size() >= MOST_LISTENERS) {
                throw new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE,
                        ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
                                "so many listen already, read /atoll/api/overview instead: listeners="
                                        + listeners.size()),
                        null);
            }
            Listener listener = new Listener();
            listeners.add(listener);
            listener.begin();
            if (watch == null) {
                watch = Thread.ofPlatform().daemon().name("atoll-live").start(this::watch);
            }
            return listener.emitter;
        } finally {
            lock.unlock();
        }
    }

    int listeners() {
        return listeners.size();
    }

    private void leave(Listener listener) {
        lock.lock();
        try {
            listeners.remove(listener);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void watch() {
        do {
            String seen;
            try {
                seen = json.writeValueAsString(overviews.look());
            } catch (RuntimeException failure) {
                LOG.warn("the state of the world cannot be told to those who listen", failure);
                seen = null;
            }
            for (Listener listener : listeners) {
                listener.offer(seen);
            }
        } while (isListenedTo());
    }

    /** Returns a second later, true if there is still a listener. If false, this thread is no longer the watch. */
    private boolean isListenedTo() {
        lock.lock();
        try {
            long leftNanos = INTERVAL.toNanos();
            while (!closed && !listeners.isEmpty() && leftNanos > 0) {
                leftNanos = changed.awaitNanos(leftNanos);
            }
            if (closed || listeners.isEmpty()) {
                watch = null;
                return false;
            }
            return true;
        } catch (InterruptedException interrupted) {
            watch = null;
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the streams before the server begins to wait for requests that are under way. It would wait for a stream.
     */
    @EventListener(ContextClosedEvent.class)
    void end() {
        close();
    }

    /** Ends all streams. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        listeners.forEach(Listener::end);
    }

    /** One listener and its thread. */
    private final class Listener {

        private final SseEmitter emitter = new SseEmitter(LONGEST_MILLIS);
        private final ReentrantLock offering = new ReentrantLock();
        private final Condition offered = offering.newCondition();
        // Guarded by the lock.
        private @Nullable String latest;
        private boolean ended; // guarded by the lock
        // Guarded by the lock; 0 while the sender is not sending.
        private long sendingSinceNanos;
        private final Thread sender = Thread.ofVirtual().name("atoll-live-sender").unstarted(this::send);

        void begin() {
            emitter.onCompletion(this::end);
            emitter.onTimeout(this::end);
            emitter.onError(_ -> end());
            sender.start();
        }

        void offer(@Nullable String seen) {
            offering.lock();
            try {
                latest = seen;
                if (sendingSinceNanos != 0 && System.nanoTime() - sendingSinceNanos > PATIENCE.toNanos()) {
                    LOG.debug("a listener does not read, and is dropped");
                    end();
                }
                offered.signal();
            } finally {
                offering.unlock();
            }
        }

        /**
         * The listener's thread may still write its last piece. It ends after that, at the latest when the server gives
         * up writing.
         */
        void end() {
            offering.lock();
            try {
                ended = true;
                offered.signal();
            } finally {
                offering.unlock();
            }
            sender.interrupt();
        }

        private void send() {
            try {
                String sent = null;
                write(":the state of the world, when it changes\n\n");
                for (String next = await(null); next != null; next = await(sent)) {
                    write(next.equals(sent)
                            ? ":nothing has changed\n\n"
                            : "event:overview\ndata:" + next.replace("\n", "\ndata:") + "\n\n");
                    sent = next;
                }
                emitter.complete();
            } catch (IOException | IllegalStateException gone) {
                LOG.debug("a listener is gone", gone);
            } finally {
                leave(this);
            }
        }

        /**
         * Stops between two pieces once the listener has ended. Otherwise a listener that reads a little now and then
         * would keep the thread.
         */
        private void write(String text) throws IOException {
            int to;
            for (int from = 0; from < text.length() && !isOver(); from = to) {
                to = Math.min(from + PIECE_CHARS, text.length());
                to += to < text.length() && Character.isLowSurrogate(text.charAt(to)) ? 1 : 0;
                emitter.send(Set.of(new DataWithMediaType(text.substring(from, to), TEXT)));
            }
        }

        private boolean isOver() {
            offering.lock();
            try {
                return ended;
            } finally {
                offering.unlock();
            }
        }

        /**
         * Returns the new state. Returns the state sent before if there is no new one for long, and null if the
         * listener has ended.
         */
        private @Nullable String await(@Nullable String sent) {
            offering.lock();
            try {
                sendingSinceNanos = 0;
                long leftNanos = HEART_BEAT.toNanos();
                while (!ended && (latest == null || latest.equals(sent)) && (leftNanos > 0 || sent == null)) {
                    if (leftNanos > 0) {
                        leftNanos = offered.awaitNanos(leftNanos);
                    } else {
                        offered.await(HEART_BEAT.toNanos(), TimeUnit.NANOSECONDS);
                    }
                }
                if (ended) {
                    return null;
                }
                sendingSinceNanos = Math.max(1, System.nanoTime());
                return latest == null ? sent : latest;
            } catch (InterruptedException over) {
                return null;
            } finally {
                offering.unlock();
            }
        }
    }
}
