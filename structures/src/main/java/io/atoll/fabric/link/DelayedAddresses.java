package io.atoll.fabric.link;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Addresses from which a proof was wrong. A connection from there waits until a second has passed. So guessing takes
 * long, and a process that knows another secret takes no handshakes from ranks. It remembers so many addresses, the
 * last ones, and lets so many connections wait; more are turned away.
 *
 * @param <C> a connection
 */
public final class DelayedAddresses<C> implements AutoCloseable {

    static final int MOST_WAITING = 64;
    private static final int MOST_ADDRESSES = 1 << 10;
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TurningAway<C> transport;
    private final LinkedHashMap<InetAddress, Long> dueNanos = new LinkedHashMap<>(); // guarded by this
    private final Deque<Waiting<C>> waiting = new ArrayDeque<>(); // of the thread that accepts

    private record Waiting<C>(C connection, long dueNanos) {}

    /**
     * Ends a connection that is not served.
     *
     * @param <C> a connection
     */
    @FunctionalInterface
    public interface TurningAway<C> {
        void turnAway(C connection) throws IOException;
    }

    public DelayedAddresses(TurningAway<C> transport) {
        this.transport = transport;
    }

    /** A proof from there was wrong. */
    public synchronized void delay(InetAddress address, long nowNanos) {
        dueNanos.remove(address); // so that it counts as the last
        dueNanos.put(address, nowNanos + DELAY_NANOS);
        if (dueNanos.size() > MOST_ADDRESSES) {
            dueNanos.pollFirstEntry();
        }
    }

    private synchronized long leftNanos(InetAddress address, long nowNanos) {
        Long due = dueNanos.get(address);
        if (due != null && due - nowNanos <= 0) {
            dueNanos.remove(address);
        }
        return due == null ? 0 : due - nowNanos;
    }

    /** Keeps the connection if it has to wait, or turns it away where too many do. Returns whether it does either. */
    public boolean keeps(C connection, InetAddress address, long nowNanos) throws IOException {
        long leftNanos = leftNanos(address, nowNanos);
        if (leftNanos <= 0) {
            return false;
        }
        if (waiting.size() < MOST_WAITING) {
            waiting.add(new Waiting<>(connection, nowNanos + leftNanos));
        } else {
            transport.turnAway(connection);
        }
        return true;
    }

    /** Returns a connection that has waited long enough, if there is one. */
    public @Nullable C due(long nowNanos) {
        for (Iterator<Waiting<C>> each = waiting.iterator(); each.hasNext();) {
            Waiting<C> one = each.next();
            if (one.dueNanos() - nowNanos <= 0) {
                each.remove();
                return one.connection();
            }
        }
        return null;
    }

    /** Returns how long until one will have waited long enough; the most if none waits. */
    public long waitMillis(long nowNanos, long mostMillis) {
        long least = mostMillis;
        for (Waiting<C> each : waiting) {
            least = Math.min(least, TimeUnit.NANOSECONDS.toMillis(each.dueNanos() - nowNanos));
        }
        return Math.max(1, least);
    }

    /** Turns away those that wait. */
    @Override
    public void close() throws IOException {
        List<Waiting<C>> left = new ArrayList<>(waiting);
        waiting.clear();
        for (Waiting<C> each : left) {
            transport.turnAway(each.connection());
        }
    }
}
