package io.atoll.fabric.link;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds connections that have not yet proved to come from ranks. They wait in a line for their handshake. Both the line
 * and the number of handshakes under way are limited. Each origin has its share of both; see {@link Origin}. So the
 * connections of one origin cannot keep those of another origin out:
 * <ol>
 * <li>The next handshake is of the origin that has the fewest handshakes under way.
 * <li>If the line is full, one connection gives way: the last one of the origin that has most waiting. It is treated as
 * if it had found a full line. The connections before it would be served earlier.
 * <li>If too many handshakes are under way, one gives way: the oldest one of the origin that has most. It has had the
 * most time. That origin must have at least two more than the origin whose turn is next. A rank's handshake takes
 * milliseconds, while a silent stranger stays. Only connections of another origin can cause this. So a stranger cannot
 * drive out connections of its own origin.
 * <li>An origin that has sent a wrong proof waits for a second, and no other origin does; see {@link ProofBackoff}.
 * </ol>
 * No connection waits for longer than its requester does. For one thread, except for {@link #delay}.
 *
 * @param <C> a connection
 */
public final class HandshakeQueue<C> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HandshakeQueue.class);

    /** The most handshakes that are under way at a time. */
    public static final int MOST_AT_ONCE = 64;

    /** The most connections that wait. A host of 64 ranks that start at once opens fewer, even several times over. */
    public static final int MOST_WAITING = 512;

    private final String owner;
    private final long patienceNanos;
    private final TurningAway<C> transport;
    private final Origins<Waiting<C>> waiting = new Origins<>();
    private final Origins<C> underWay = new Origins<>();
    private final ProofBackoff proofBackoff = new ProofBackoff();
    private final OnceAMinute told = new OnceAMinute();
    private @Nullable C leaving; // turned away during its handshake; no longer in the origins
    private long untold; // turned away since the last line in the log

    private record Waiting<C>(C connection, long cameNanos) {}

    /**
     * Makes a connection end soon, waiting or in its handshake.
     *
     * @param <C> a connection
     */
    @FunctionalInterface
    public interface TurningAway<C> {
        void turnAway(C connection) throws IOException;
    }

    /**
     * @param owner the name of the owner in the log
     * @param patienceMillis how long a requester waits
     */
    public HandshakeQueue(String owner, long patienceMillis, TurningAway<C> transport) {
        this.owner = owner;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.transport = transport;
    }

    /** Lets the connection wait from now on. If too many wait, turns away the newest one of the largest origin. */
    public void enter(C connection, Origin origin, long nowNanos) throws IOException {
        waiting.add(origin, new Waiting<>(connection, nowNanos));
        if (waiting.size() > MOST_WAITING) {
            Origin largest = waiting.largest();
            turnAway(waiting.newest(largest), largest, nowNanos);
        }
    }

    /**
     * Returns the connection whose handshake is next. The handshake counts as under way until the connection leaves.
     *
     * @return null if no handshake may begin yet, or if there is no room yet
     */
    public @Nullable C next(long nowNanos) throws IOException {
        turnAwayLate(nowNanos);
        Origin origin = leastServed(nowNanos);
        if (origin == null) {
            return null;
        }
        if (underWay() == MOST_AT_ONCE) {
            makeRoom(origin, nowNanos);
            return null;
        }
        Waiting<C> next = waiting.oldest(origin);
        underWay.add(origin, next.connection()); // first: an error must not make it forgotten
        waiting.remove(next);
        return next.connection();
    }

    private void turnAwayLate(long nowNanos) throws IOException {
        Waiting<C> first = waiting.oldest();
        while (first != null && nowNanos - first.cameNanos() > patienceNanos) {
            turnAway(first, waiting.origin(first), nowNanos);
            first = waiting.oldest();
        }
    }

    /**
     * Returns the origin that may begin a handshake and has the fewest under way. If there are several, returns the
     * first one, which was served the longest ago.
     */
    private @Nullable Origin leastServed(long nowNanos) {
        Origin least = null;
        for (Origin each : waiting.all()) {
            boolean isServedLess = least == null || underWay.count(each) < underWay.count(least);
            if (isServedLess && proofBackoff.leftNanos(each, nowNanos) == 0) {
                least = each;
            }
        }
        return least;
    }

    /** Turns away one connection at a time: a connection that was turned away is served until it ends. */
    private void makeRoom(Origin next, long nowNanos) throws IOException {
        if (leaving != null) {
            return;
        }
        Origin largest = underWay.largest();
        // With a difference of one, the two origins would drive each other out in turn.
        if (underWay.count(largest) >= underWay.count(next) + 2) {
            C oldest = underWay.oldest(largest);
            underWay.remove(oldest);
            leaving = oldest;
            turnAway(oldest, largest, nowNanos);
        }
    }

    private void turnAway(Waiting<C> one, Origin origin, long nowNanos) throws IOException {
        turnAway(one.connection(), origin, nowNanos);
        waiting.remove(one); // last: an error must not make it forgotten
    }

    private void turnAway(C connection, Origin origin, long nowNanos) throws IOException {
        untold++;
        if (told.isDue(nowNanos)) {
            LOG.warn("connections that have made no handshake are turned away, see who connects from there: owner={}"
                    + " origin={} turnedAway={}", owner, origin, untold);
            untold = 0;
        }
        transport.turnAway(connection);
    }

    /** Returns the connections in their handshake, except for one that was turned away. */
    public List<C> begun() {
        return underWay.everything();
    }

    /** Removes a connection whose handshake is over, or that has ended. */
    public void leave(C connection) {
        if (connection.equals(leaving)) {
            leaving = null;
        } else {
            underWay.remove(connection);
        }
    }

    /**
     * Notes that a proof from this origin was wrong. Its waiting connections stay in line for a second. Any thread may
     * call it.
     */
    public void delay(Origin origin, long nowNanos) {
        proofBackoff.delay(origin, nowNanos);
    }

    /**
     * Returns after how long a waiting connection may be next, if none comes or leaves meanwhile. Returns
     * {@code mostMillis} if none will be.
     */
    public long waitMillis(long nowNanos, long mostMillis) {
        long least = mostMillis;
        for (Origin each : waiting.all()) {
            long leftNanos = proofBackoff.leftNanos(each, nowNanos);
            least = leftNanos == 0 ? least : Math.min(least, TimeUnit.NANOSECONDS.toMillis(leftNanos));
        }
        return Math.max(1, least);
    }

    int waiting() {
        return waiting.size();
    }

    /**
     * Returns how many handshakes are under way. This includes one that was turned away and is served until it ends.
     */
    int underWay() {
        return underWay.size() + (leaving == null ? 0 : 1);
    }

    /** Turns away all waiting connections. */
    @Override
    public void close() throws IOException {
        for (Waiting<C> each = waiting.oldest(); each != null; each = waiting.oldest()) {
            waiting.remove(each);
            transport.turnAway(each.connection());
        }
    }
}
