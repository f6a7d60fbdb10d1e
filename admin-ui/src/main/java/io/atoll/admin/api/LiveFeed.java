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
 * Tells whoever listens how the world stands, once a second. One thread looks, while there is a listener; each listener
 * has a thread of its own, so that one who does not read keeps nobody waiting. Such a one is left out until it has read:
 * what it has missed it does not need. Who reads slowly is dropped after {@link #PATIENCE}. Who does not read at all is
 * dropped when the server gives up to write; for Tomcat that is {@code server.tomcat.connection-timeout}, a minute unless told.
 * <pre>
 *   watch ── look ── offer ──┬─ latest ── sender of A ── socket
 *     once a second          ├─ latest ── sender of B ── socket (full: the latest is replaced)
 *                            └─ ...
 * </pre>
 */
final class LiveFeed implements AutoCloseable {

    static final int MOST_LISTENERS = 16;

    static final Duration INTERVAL = Duration.ofSeconds(1);

    /** So long a sender may be at one event. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** So often something is sent, for only this shows that a listener is gone. */
    private static final Duration HEART_BEAT = Duration.ofSeconds(15);

    /** So much is written at once: the server lets no thread out of a write that makes progress. */
    private static final int PIECE_CHARS = 8 << 10;

    private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

    /** Then the listener comes again, and is admitted again. */
    private static final long LONGEST_MILLIS = Duration.ofMinutes(30).toMillis();

    private static final Logger LOG = LoggerFactory.getLogger(LiveFeed.class);

    private final OverviewWatch overviews;
    private final ObjectMapper json;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition(); // a listener, or closed
    private final List<Listener> listeners = new CopyOnWriteArrayList<>(); // changed under the lock
    private @Nullable Thread watch; // under the lock
    private boolean closed; // under the lock

    LiveFeed(OverviewWatch overviews, ObjectMapper json) {
        this.overviews = overviews;
        this.json = json;
    }

    /** Lets one more listen. */
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

    /** Returns a second later whether anybody listens still. Else this thread is not the watch any more. */
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

    /** Before the server begins to wait for requests that are under way: a stream would keep it. */
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

    /** One that listens, and its thread. */
    private final class Listener {

        private final SseEmitter emitter = new SseEmitter(LONGEST_MILLIS);
        private final ReentrantLock offering = new ReentrantLock();
        private final Condition offered = offering.newCondition();
        private @Nullable String latest; // under the lock
        private boolean ended; // under the lock
        private long sendingSinceNanos; // under the lock; 0 while it is not
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

        /** Its thread may still be at its last piece, and ends after that: at the latest when the server gives up to write. */
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

        /** Stops between two pieces when it is over: a listener that reads a little now and then would keep the thread else. */
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

        /** Returns what is new, or what was sent before if nothing is for long; null if it is over. */
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
