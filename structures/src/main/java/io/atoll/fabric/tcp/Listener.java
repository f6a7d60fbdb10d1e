package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.link.AccessControl;
import io.atoll.fabric.link.HandshakeQueue;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.OnceAMinute;
import io.atoll.fabric.link.Origin;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Refusals;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections for this rank, the owner of its segment, and serves each by a thread of its own. The first
 * {@link #MOST_THREADS} connections keep their thread. {@link ServingLoops} serve later ones. A thread of its own is a
 * little faster while there are few, but takes more memory. The number of handshakes under way is limited;
 * see {@link HandshakeQueue}.
 *
 * <p>The listener's thread looks after the connections. It closes silent ones. It frees the rest of connections that
 * have ended, after any error. It logs their ends.
 */
class Listener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    /** The most connections that are served by threads of their own. */
    static final int MOST_THREADS = 128;

    private static final int BACKLOG = 128;
    private static final int MOST_HANDSHAKES = 50; // a second: each takes some milliseconds of a processor
    private static final long LOOK_MILLIS = 250;

    /** How long a rank may be silent. A rank asks for a sign of life more often than this. */
    static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

    private final String name;
    private final LocalMemory segment;
    private final Keys keys;
    private final @Nullable Encryption encryption;
    private final AccessControl<AcceptedConnection> accessControl;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final InetSocketAddress address;
    private final Map<AcceptedConnection, Watch> connections = new ConcurrentHashMap<>();
    private final int mostThreads;
    private final Tcp settings;
    private final ServingLoops loops;
    private final HandshakeQueue<AcceptedConnection> handshakeQueue;
    private final BackgroundThread thread;
    private final RateLimiter handshakes = new RateLimiter(MOST_HANDSHAKES); // used by the thread only
    private final OnceAMinute strangersTold = new OnceAMinute();
    private final OnceAMinute ranksTold = new OnceAMinute();
    private final AtomicReference<@Nullable Throwable> strangerEnd = new AtomicReference<>(); // not logged yet
    private final AtomicReference<@Nullable Throwable> rankEnd = new AtomicReference<>();

    /** The thread's observations of a connection. */
    private static final class Watch {
        private long heard;
        private long heardNanos = System.nanoTime();
    }

    /**
     * @param keys by which ranks prove themselves
     * @param encryption null if connections are not encrypted
     * @param mostThreads how many connections are served by threads of their own
     */
    Listener(Tcp settings, WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
            @Nullable Encryption encryption, int mostThreads) throws IOException {
        this.name = "atoll-tcp-" + world.name() + "-" + rank;
        this.settings = settings;
        this.segment = segment;
        this.keys = keys;
        this.encryption = encryption;
        this.accessControl = new AccessControl<>(world, rank, incarnation, segment, this::revoke);
        this.handshakeQueue = new HandshakeQueue<>(name, settings.connectTimeout().toMillis(), this::turnAway);
        this.mostThreads = mostThreads;
        this.loops = new ServingLoops(name, settings);
        this.server = ServerSocketChannel.open();
        this.selector = Selector.open();
        this.thread = new BackgroundThread(name, this::accept);
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(settings.listeningAddress(rank), BACKLOG);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            this.address = (InetSocketAddress) server.getLocalAddress();
            thread.start();
        } catch (IOException | RuntimeException | Error failure) {
            try (server; selector) {
                throw failure;
            }
        }
    }

    final String name() {
        return name;
    }

    final Tcp settings() {
        return settings;
    }

    final LocalMemory segment() {
        return segment;
    }

    /** Returns the keys by which a requester must prove itself. */
    final Keys keys() {
        return keys;
    }

    /** Returns the encryption, or null if connections are not encrypted. */
    final @Nullable Encryption encryption() {
        return encryption;
    }

    final AccessControl<AcceptedConnection> accessControl() {
        return accessControl;
    }

    final InetSocketAddress address() {
        return address;
    }

    /** Returns the threads that accept connections, and those that serve many. */
    final List<BackgroundThread> threads() {
        List<BackgroundThread> all = new ArrayList<>(loops.threads());
        all.add(thread);
        return all;
    }

    final ServingLoops loops() {
        return loops;
    }

    /** Returns how many attempts to connect this rank has ever refused. */
    final Refusals refusals() {
        return accessControl.refusals();
    }

    /** Ends a connection that has lost its access. A test may end it in another way. */
    void revoke(AcceptedConnection connection) throws IOException {
        connection.revoke();
    }

    private long accept() throws IOException {
        lookAfter(); // first: silent connections may hold the descriptors that new ones need
        tell("rank", rankEnd, ranksTold);
        tell("stranger", strangerEnd, strangersTold);
        selector.select(_ -> {}, startHandshakes());
        acceptAll();
        return 0;
    }

    /** Begins handshakes of waiting connections. Returns after how many milliseconds another one may begin. */
    private long startHandshakes() throws IOException {
        long nowNanos = System.nanoTime();
        long waitNanos = waitForHandshakeNanos(nowNanos);
        while (waitNanos == 0) {
            AcceptedConnection next = handshakeQueue.next(nowNanos);
            if (next == null) {
                return handshakeQueue.waitMillis(nowNanos, LOOK_MILLIS);
            }
            handshakes.note(nowNanos);
            begin(next);
            waitNanos = waitForHandshakeNanos(nowNanos);
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNanos));
    }

    /** Starts a connection. An error may prevent that it is served; see {@link #lookAfter}. */
    private void begin(AcceptedConnection next) {
        connections.put(next, new Watch()); // first: a connection that is not started counts as ended
        next.start();
    }

    private long waitForHandshakeNanos(long nowNanos) {
        return encryption == null ? 0 : handshakes.waitNanos(nowNanos);
    }

    /**
     * Accepts all waiting connections, up to a bound in a flood. The kernel's queue does not tell the origin of a
     * connection, so this thread empties it.
     */
    private void acceptAll() throws IOException {
        for (int accepted = 0; accepted < BACKLOG; accepted++) {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            boolean isKept = false;
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                handshakeQueue.enter(new AcceptedConnection(channel, this), origin(channel), System.nanoTime());
                isKept = true;
            } finally {
                if (!isKept) {
                    channel.close();
                }
            }
        }
    }

    private static Origin origin(SocketChannel channel) throws IOException {
        return Origin.of(((InetSocketAddress) channel.getRemoteAddress()).getAddress());
    }

    /** Delays other connections from the same origin, because this one's proof is wrong. */
    final void delay(SocketChannel wrong) throws IOException {
        handshakeQueue.delay(origin(wrong), System.nanoTime());
    }

    /** Ends a connection. If it has a thread already, that thread reports how it ended. */
    private void turnAway(AcceptedConnection connection) throws IOException {
        if (!connections.containsKey(connection)) {
            refusals().count(Refusal.UNFINISHED);
        }
        connection.abandon();
    }

    /**
     * Makes the listener soon check whether other handshakes may begin. Called by the thread that serves a connection.
     */
    final void lookSoon() {
        selector.wakeup();
    }

    /** Returns true if the connection may keep its own thread. */
    final synchronized boolean mayKeepThread(AcceptedConnection connection) {
        long threads = connections.keySet().stream().filter(AcceptedConnection::keepsThread).count();
        if (threads < mostThreads) {
            connection.keepThread();
        }
        return threads < mostThreads;
    }

    /**
     * Looks after all connections. Only this thread forgets connections. A thread that serves connections must not wait
     * for the monitor of the access: the monitor's holder may be waiting for that thread.
     */
    private void lookAfter() throws IOException {
        for (AcceptedConnection connection : handshakeQueue.begun()) {
            // An error may have kept this one from being recorded; it has ended, too.
            connections.computeIfAbsent(connection, _ -> new Watch());
        }
        long nowNanos = System.nanoTime();
        for (Map.Entry<AcceptedConnection, Watch> each : connections.entrySet()) {
            AcceptedConnection connection = each.getKey();
            if (connection.hasEnded() || connection.isHandshakeOver()) {
                handshakeQueue.leave(connection);
            }
            if (connection.hasEnded()) {
                connection.close(); // an error may have kept its thread from doing this
                accessControl.forget(connection);
                connections.remove(connection);
            } else if (isSilent(connection, each.getValue(), nowNanos)) {
                connection.abandon();
            }
        }
    }

    /** Returns how long a rank may be silent. A test may wait for less. */
    Duration silence() {
        return LONGEST_SILENCE;
    }

    private boolean isSilent(AcceptedConnection connection, Watch watch, long nowNanos) {
        if (connection.heard() != watch.heard) {
            watch.heard = connection.heard();
            watch.heardNanos = nowNanos;
        }
        return connection.isAdmitted()
                ? nowNanos - watch.heardNanos > silence().toNanos()
                : nowNanos - connection.beganNanos() > settings.connectTimeout().toNanos();
    }

    /**
     * Notes that a connection has ended by itself. The thread that serves the connection calls this, so the log is
     * written later by another thread.
     */
    final void noteEnd(AcceptedConnection connection, Throwable end) {
        if (!connection.isAdmitted() && !connection.isRefused()) {
            refusals().count(unaskedRefusal(end));
        }
        // A rank that leaves is not worth a line in the log.
        boolean isOrdinary = end instanceof CancelledKeyException
                || end instanceof IOException && !(end instanceof MalformedFrameException);
        if (!isOrdinary) {
            // Strangers that come all the time must not hide a rank with a failure.
            (connection.isAdmitted() ? rankEnd : strangerEnd).set(end);
        }
    }

    /** Returns the reason to count for a connection that ended during its handshake without an answer. */
    private static Refusal unaskedRefusal(Throwable end) {
        if (end instanceof SSLHandshakeException) {
            return Refusal.UNTRUSTED;
        }
        boolean isForeign = end instanceof MalformedFrameException || end instanceof SSLException;
        return !isForeign && (end instanceof IOException || end instanceof Error)
                ? Refusal.UNFINISHED
                : Refusal.STRANGER;
    }

    private void tell(String from, AtomicReference<@Nullable Throwable> untold, OnceAMinute told) {
        Throwable end = untold.getAndSet(null);
        if (end != null && told.isDue(System.nanoTime())) {
            LOG.warn("a connection was closed: owner={} from={} cause={}", name, from, end.toString());
        }
    }

    /** Revokes the access of all ranks. When it returns, no thread uses the segment any more. */
    @Override
    public final void close() throws IOException {
        selector.wakeup();
        thread.end();
        try (server; selector; loops; handshakeQueue) {
            accessControl.withdraw();
            for (AcceptedConnection connection : connections.keySet()) {
                connection.revoke();
                connection.close();
            }
        }
    }
}
