package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.link.Access;
import io.atoll.fabric.link.Entrance;
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
 * This rank as the owner of its segment: accepts connections, and serves each by a thread of its own. So many keep it;
 * those that come later are served by {@link ServingLoops}. A thread is a little faster while there are few, and takes
 * more memory. So many may not have greeted at a time; whoever comes then waits in the kernel's queue.
 *
 * <p>Its thread looks after the connections. It closes those that are silent. It gives back what is left of those that
 * have ended, by whatever error. It tells the log of them.
 */
class Listener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    /** So many connections are served by threads of their own. */
    static final int MOST_THREADS = 128;

    private static final int BACKLOG = 128;
    private static final int MOST_HANDSHAKES = 50; // a second: each takes some milliseconds of a processor
    private static final long LOOK_MILLIS = 250;

    /** Of a rank, which asks for a sign of life more often than that. */
    static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

    private final String name;
    private final Duration greetingTimeout;
    private final LocalMemory segment;
    private final Keys keys;
    private final @Nullable Encryption encryption;
    private final Access<Serving> access;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final InetSocketAddress address;
    private final Map<Serving, Watch> servings = new ConcurrentHashMap<>();
    private final int mostThreads;
    private final ServingLoops loops;
    private final Entrance<Serving> entrance;
    private final BackgroundThread thread;
    private final Pace handshakes = new Pace(MOST_HANDSHAKES); // of the thread
    private final OnceAMinute strangersTold = new OnceAMinute();
    private final OnceAMinute ranksTold = new OnceAMinute();
    private final AtomicReference<@Nullable Throwable> strangerEnd = new AtomicReference<>(); // not told yet
    private final AtomicReference<@Nullable Throwable> rankEnd = new AtomicReference<>();

    /** What was seen of a connection. */
    private static final class Watch {
        private long heard;
        private long heardNanos = System.nanoTime();
    }

    /**
     * @param keys by which ranks prove themselves
     * @param encryption null where connections are not encrypted
     * @param mostThreads how many connections are served by threads of their own
     */
    Listener(Tcp settings, WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
            @Nullable Encryption encryption, int mostThreads) throws IOException {
        this.name = "atoll-tcp-" + world.name() + "-" + rank;
        this.greetingTimeout = settings.connectTimeout();
        this.segment = segment;
        this.keys = keys;
        this.encryption = encryption;
        this.access = new Access<>(world, rank, incarnation, segment, this::revoke);
        this.entrance = new Entrance<>(name, greetingTimeout.toMillis(), this::turnAway);
        this.mostThreads = mostThreads;
        this.loops = new ServingLoops(name);
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

    final LocalMemory segment() {
        return segment;
    }

    /** What a requester must prove. */
    final Keys keys() {
        return keys;
    }

    /** Null where connections are not encrypted. */
    final @Nullable Encryption encryption() {
        return encryption;
    }

    final Access<Serving> access() {
        return access;
    }

    final InetSocketAddress address() {
        return address;
    }

    /** Returns the threads that accept, and that serve many connections. */
    final List<BackgroundThread> threads() {
        List<BackgroundThread> all = new ArrayList<>(loops.threads());
        all.add(thread);
        return all;
    }

    final ServingLoops loops() {
        return loops;
    }

    /** How many attempts to connect were refused, ever. */
    final Refusals refusals() {
        return access.refusals();
    }

    /** How a connection that has lost its access ends: a test may let it do so otherwise. */
    void revoke(Serving serving) throws IOException {
        serving.revoke();
    }

    private long accept() throws IOException {
        lookAfter(); // first: those that are silent may have the descriptors that new ones need
        tell("rank", rankEnd, ranksTold);
        tell("stranger", strangerEnd, strangersTold);
        selector.select(_ -> {}, startGreetings());
        acceptAll();
        return 0;
    }

    /** Returns after how long there may be another that may greet. */
    private long startGreetings() throws IOException {
        long nowNanos = System.nanoTime();
        long waitNanos = waitForHandshakeNanos(nowNanos);
        while (waitNanos == 0) {
            Serving next = entrance.next(nowNanos);
            if (next == null) {
                return entrance.waitMillis(nowNanos, LOOK_MILLIS);
            }
            handshakes.note(nowNanos);
            begin(next);
            waitNanos = waitForHandshakeNanos(nowNanos);
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNanos));
    }

    /** An error may keep it from being served, see {@link #lookAfter}. */
    private void begin(Serving next) {
        servings.put(next, new Watch()); // first: one that is not started has ended
        next.start();
    }

    private long waitForHandshakeNanos(long nowNanos) {
        return encryption == null ? 0 : handshakes.waitNanos(nowNanos);
    }

    /** The kernel's queue does not tell who comes from where. So it is emptied, but for a flood. */
    private void acceptAll() throws IOException {
        for (int accepted = 0; accepted < BACKLOG; accepted++) {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            boolean isKept = false;
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                entrance.enter(new Serving(channel, this), origin(channel), System.nanoTime());
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

    /** Other connections from where this one comes have to wait: its proof is wrong. */
    final void delay(SocketChannel wrong) throws IOException {
        entrance.delay(origin(wrong), System.nanoTime());
    }

    /** One that has a thread tells how it ends by that. */
    private void turnAway(Serving serving) throws IOException {
        if (!servings.containsKey(serving)) {
            refusals().count(Refusal.UNFINISHED);
        }
        serving.abandon();
    }

    /** Sees to it soon that others may greet. To be called by whoever serves a connection. */
    final void lookSoon() {
        selector.wakeup();
    }

    /** Returns whether the connection has a thread of its own from now on. */
    final synchronized boolean mayKeepThread(Serving serving) {
        long threads = servings.keySet().stream().filter(Serving::keepsThread).count();
        if (threads < mostThreads) {
            serving.keepThread();
        }
        return threads < mostThreads;
    }

    /**
     * Only this thread forgets connections. One that serves others must not wait for the monitor of the access, whose
     * holder may wait for that thread.
     */
    private void lookAfter() throws IOException {
        for (Serving serving : entrance.begun()) {
            servings.computeIfAbsent(serving, _ -> new Watch()); // one that an error has kept from it has ended, too
        }
        long nowNanos = System.nanoTime();
        for (Map.Entry<Serving, Watch> each : servings.entrySet()) {
            Serving serving = each.getKey();
            if (serving.hasEnded() || serving.isGreetingOver()) {
                entrance.leave(serving);
            }
            if (serving.hasEnded()) {
                serving.close(); // an error may have kept its thread from that
                access.forget(serving);
                servings.remove(serving);
            } else if (isSilent(serving, each.getValue(), nowNanos)) {
                serving.abandon();
            }
        }
    }

    /** How long a rank may say nothing: a test may wait for less. */
    Duration silence() {
        return LONGEST_SILENCE;
    }

    private boolean isSilent(Serving serving, Watch watch, long nowNanos) {
        if (serving.heard() != watch.heard) {
            watch.heard = serving.heard();
            watch.heardNanos = nowNanos;
        }
        return serving.isGreeted()
                ? nowNanos - watch.heardNanos > silence().toNanos()
                : nowNanos - serving.beganNanos() > greetingTimeout.toNanos();
    }

    /** A connection ends by itself. To be called by whoever serves it: so the log is told later. */
    final void noteEnd(Serving serving, Throwable end) {
        if (!serving.isGreeted() && !serving.isRefused()) {
            refusals().count(unaskedRefusal(end));
        }
        // Ranks that leave are nothing to tell of.
        boolean isOrdinary = end instanceof CancelledKeyException
                || end instanceof IOException && !(end instanceof MalformedFrameException);
        if (!isOrdinary) {
            // Strangers that come all the time must not hide a rank that goes wrong.
            (serving.isGreeted() ? rankEnd : strangerEnd).set(end);
        }
    }

    /** Returns why a connection is taken for refused that has ended before its greeting, and was not told anything. */
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

    /** Revokes everybody's access. When it returns no thread uses the segment any more. */
    @Override
    public final void close() throws IOException {
        selector.wakeup();
        thread.end();
        try (server; selector; loops; entrance) {
            access.withdraw();
            for (Serving serving : servings.keySet()) {
                serving.revoke();
                serving.close();
            }
        }
    }
}
