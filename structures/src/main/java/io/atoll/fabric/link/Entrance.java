package io.atoll.fabric.link;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where connections are that have not proved to come from ranks. They wait in a line, and then greet. There is room
 * for so many in the line and for so many that greet. Each origin has its share of both, see {@link Origin}. So those
 * of one origin keep nobody of another one out:
 * <ol>
 * <li>the next that greets is of the origin of which the fewest greet;
 * <li>where the line is full, the last of the origin gives way of which most wait. It is as if it had come to a full
 * line. Those before it would be served earlier;
 * <li>where too many greet, the oldest of the origin gives way of which most do, if they are at least two more than
 * those of the next. It has had the most time. A rank greets in milliseconds, and a silent stranger stays. Only
 * connections of another origin can cause that. So a stranger can not hurry those of its own origin out;
 * <li>an origin from which a proof was wrong waits for a second, and no other one does, see {@link Delays}.
 * </ol>
 * Nobody waits for longer than its requester does. For one thread, but for {@link #delay}.
 *
 * @param <C> a connection
 */
public final class Entrance<C> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Entrance.class);

    /** So many greet at a time. */
    public static final int MOST_GREETING = 64;

    /** So many wait: as many as come from a host of 64 ranks that start at once, several times over. */
    public static final int MOST_WAITING = 512;

    private final String owner;
    private final long patienceNanos;
    private final TurningAway<C> transport;
    private final Origins<Waiting<C>> waiting = new Origins<>();
    private final Origins<C> greeting = new Origins<>();
    private final Delays delays = new Delays();
    private final OnceAMinute told = new OnceAMinute();
    private @Nullable C leaving; // turned away while it greeted; not in the origins any more
    private long untold; // turned away since the last line of the log

    private record Waiting<C>(C connection, long cameNanos) {}

    /**
     * Ends a connection soon, whether it waits or greets.
     *
     * @param <C> a connection
     */
    @FunctionalInterface
    public interface TurningAway<C> {
        void turnAway(C connection) throws IOException;
    }

    /**
     * @param owner as the log names it
     * @param patienceMillis how long a requester waits
     */
    public Entrance(String owner, long patienceMillis, TurningAway<C> transport) {
        this.owner = owner;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.transport = transport;
    }

    /** The connection waits from now on. Turns away that of the largest origin where too many do. */
    public void enter(C connection, Origin origin, long nowNanos) throws IOException {
        waiting.add(origin, new Waiting<>(connection, nowNanos));
        if (waiting.size() > MOST_WAITING) {
            Origin largest = waiting.largest();
            turnAway(waiting.newest(largest), largest, nowNanos);
        }
    }

    /**
     * Returns the connection that greets next, from now on until it leaves.
     *
     * @return null where none waits that may, or there is no room yet
     */
    public @Nullable C next(long nowNanos) throws IOException {
        turnAwayLate(nowNanos);
        Origin origin = leastServed(nowNanos);
        if (origin == null) {
            return null;
        }
        if (greeting() == MOST_GREETING) {
            makeRoom(origin, nowNanos);
            return null;
        }
        Waiting<C> next = waiting.oldest(origin);
        greeting.add(origin, next.connection()); // first: after an error it must not be forgotten
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

    /** Those that stand first have been served the longest ago. */
    private @Nullable Origin leastServed(long nowNanos) {
        Origin least = null;
        for (Origin each : waiting.all()) {
            boolean isServedLess = least == null || greeting.count(each) < greeting.count(least);
            if (isServedLess && delays.leftNanos(each, nowNanos) == 0) {
                least = each;
            }
        }
        return least;
    }

    /** One after the other: each that was turned away is served until it ends. */
    private void makeRoom(Origin next, long nowNanos) throws IOException {
        if (leaving != null) {
            return;
        }
        Origin largest = greeting.largest();
        // With one more the two would drive each other out in turn.
        if (greeting.count(largest) >= greeting.count(next) + 2) {
            C oldest = greeting.oldest(largest);
            greeting.remove(oldest);
            leaving = oldest;
            turnAway(oldest, largest, nowNanos);
        }
    }

    private void turnAway(Waiting<C> one, Origin origin, long nowNanos) throws IOException {
        turnAway(one.connection(), origin, nowNanos);
        waiting.remove(one); // last: after an error it must not be forgotten
    }

    private void turnAway(C connection, Origin origin, long nowNanos) throws IOException {
        untold++;
        if (told.isDue(nowNanos)) {
            LOG.warn("connections that have not greeted are turned away, see who connects from there: owner={}"
                    + " origin={} turnedAway={}", owner, origin, untold);
            untold = 0;
        }
        transport.turnAway(connection);
    }

    /** Returns those that greet, but for one that was turned away. */
    public List<C> begun() {
        return greeting.everything();
    }

    /** The connection has greeted, or has ended. */
    public void leave(C connection) {
        if (connection.equals(leaving)) {
            leaving = null;
        } else {
            greeting.remove(connection);
        }
    }

    /** A proof from there was wrong: those who wait come next when a second has passed. Any thread may say so. */
    public void delay(Origin origin, long nowNanos) {
        delays.delay(origin, nowNanos);
    }

    /** Returns after how long somebody may be next though nobody comes or leaves; the most if nobody will be. */
    public long waitMillis(long nowNanos, long mostMillis) {
        long least = mostMillis;
        for (Origin each : waiting.all()) {
            long leftNanos = delays.leftNanos(each, nowNanos);
            least = leftNanos == 0 ? least : Math.min(least, TimeUnit.NANOSECONDS.toMillis(leftNanos));
        }
        return Math.max(1, least);
    }

    int waiting() {
        return waiting.size();
    }

    /** How many greet, with one that was turned away and is served until it ends. */
    int greeting() {
        return greeting.size() + (leaving == null ? 0 : 1);
    }

    /** Turns away those who wait. */
    @Override
    public void close() throws IOException {
        for (Waiting<C> each = waiting.oldest(); each != null; each = waiting.oldest()) {
            waiting.remove(each);
            transport.turnAway(each.connection());
        }
    }
}
