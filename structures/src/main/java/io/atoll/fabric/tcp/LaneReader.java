package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Reads the answers of lanes on which only virtual threads wait: by one platform thread, which is there from the first
 * such wait on. It leads a lane until everything on it is answered, see {@link TcpLane}.
 */
final class LaneReader implements AutoCloseable {

    private static final long SELECT_MILLIS = 250;

    private final Selector selector;
    private final Queue<TcpLane> wanted = new ConcurrentLinkedQueue<>();
    private final Map<TcpLane, SelectionKey> keys = new ConcurrentHashMap<>();
    private final Set<TcpLane> led = new HashSet<>(); // of the thread alone
    private final BackgroundThread thread;

    LaneReader(String name) throws IOException {
        this.selector = Selector.open();
        this.thread = new BackgroundThread(name, this::read);
    }

    BackgroundThread thread() {
        return thread;
    }

    /** Somebody waits on the lane that cannot lead. */
    void lead(TcpLane lane) {
        wanted.add(lane);
        selector.wakeup();
        thread.wake();
    }

    /** The lane is closed, and nobody leads it. */
    void forget(TcpLane lane) {
        SelectionKey key = keys.remove(lane);
        if (key != null) {
            key.cancel();
            // The socket is given back by the next selection.
            selector.wakeup();
            thread.wake();
        }
    }

    private long read() throws IOException {
        for (TcpLane lane = wanted.poll(); lane != null; lane = wanted.poll()) {
            begin(lane);
        }
        if (led.isEmpty()) {
            selector.selectNow(_ -> {});
            return wanted.isEmpty() ? BackgroundThread.UNTIL_WOKEN : 0;
        }
        led.forEach(this::watch);
        selector.select(_ -> {}, SELECT_MILLIS);
        led.removeIf(this::hasEnded);
        return 0;
    }

    private void begin(TcpLane lane) {
        if (led.contains(lane) || !lane.lead()) {
            return; // a thread that leads asks for this one when it leaves, if somebody still waits
        }
        lane.waitsIn(selector);
        boolean leads = false;
        try {
            keys.computeIfAbsent(lane, this::register);
            leads = lane.isUsable();
        } catch (RuntimeException closed) {
            lane.breakDown("its channel is closed");
        } finally {
            if (leads) {
                led.add(lane);
            } else {
                lane.leave();
            }
        }
    }

    private SelectionKey register(TcpLane lane) {
        try {
            return lane.channel().register(selector, 0);
        } catch (IOException closed) {
            throw new IllegalStateException("the channel is closed", closed);
        }
    }

    private void watch(TcpLane lane) {
        SelectionKey key = keys.get(lane);
        int interest = lane.interest();
        if (key != null && key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    private boolean hasEnded(TcpLane lane) {
        boolean goesOn = lane.readForOthers();
        if (!goesOn) {
            SelectionKey key = keys.get(lane);
            if (key != null && key.isValid()) {
                key.interestOps(0);
            }
            lane.leave();
        }
        return !goesOn;
    }

    /** All lanes must be closed. */
    @Override
    public void close() throws IOException {
        selector.wakeup();
        thread.end();
        led.forEach(TcpLane::leave);
        selector.close();
    }
}
