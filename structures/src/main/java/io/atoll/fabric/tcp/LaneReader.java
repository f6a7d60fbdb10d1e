package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Reads the answers of lanes on which only virtual threads wait. One platform thread does this; it exists from the
 * first such wait on. It leads a lane as long as a virtual thread waits there; see {@link TcpLane}. Platform threads
 * that keep waiting lead their lanes themselves: they would otherwise have to be woken for each answer.
 *
 * <p>Each turn of the thread has three steps:
 * <ol>
 * <li>It looks at each lane that it leads, by loads only. It finds out what the lane waits for, and whether it still
 * has to be led.
 * <li>It waits until one of the lanes is ready. In some turns it only looks ({@link Spin}).
 * <li>It reads the ready lanes. It reads each one only a limited number of times, so that the others have their turn.
 * </ol>
 * It makes a system call only for a lane that is ready.
 *
 * <p>No wake-up is missed. A thread changes a lane before it wakes the selector. A selector remembers a wake-up that
 * came early, so the next look sees the change. Gathered frames need no wake-up. They go out when an answer comes, or
 * when the socket has room, and the lane is ready then. A wire may have decrypted bytes that it has not handed over
 * yet. They make no socket ready, so the turn then does not wait.
 *
 * <p>After an error elsewhere it is unknown what the selector would wait for. So all led lanes break.
 */
final class LaneReader implements AutoCloseable {

    private static final String CLOSED = "its channel is closed";

    private final Selector selector;
    private final Queue<TcpLane> wanted = new ConcurrentLinkedQueue<>();
    private final Map<TcpLane, SelectionKey> keys = new ConcurrentHashMap<>();
    // Exactly the lanes that the thread leads; used by the thread only.
    private final Set<TcpLane> led = new HashSet<>();
    private boolean isUnsure; // true if it is unknown what the last turn has done
    private final Spin spin;
    private final Consumer<SelectionKey> reading = key -> read((TcpLane) key.attachment());
    private final BackgroundThread thread;

    LaneReader(String name, Spin spin) throws IOException {
        this.spin = spin;
        this.selector = Selector.open();
        this.thread = new BackgroundThread(name, this::read);
    }

    BackgroundThread thread() {
        return thread;
    }

    /** Leads the lane, because a thread that cannot lead waits on it. */
    void lead(TcpLane lane) {
        wanted.add(lane);
        selector.wakeup();
        thread.wake();
    }

    /** Forgets a lane that is closed and has no leader. */
    void forget(TcpLane lane) {
        SelectionKey key = keys.remove(lane);
        if (key != null) {
            key.cancel();
            // The next selection gives the socket back.
            selector.wakeup();
            thread.wake();
        }
    }

    private long read() throws IOException {
        if (isUnsure) {
            led.forEach(lane -> lane.breakDown("an error in the thread that reads its answers"));
        }
        isUnsure = true;
        for (TcpLane lane = wanted.poll(); lane != null; lane = wanted.poll()) {
            begin(lane);
        }
        boolean hasMore = lookAtLed();
        if (led.isEmpty() || hasMore) {
            selector.selectNow(reading);
        } else {
            spin.select(selector, reading);
        }
        isUnsure = false;
        return led.isEmpty() && wanted.isEmpty() ? BackgroundThread.UNTIL_WOKEN : 0;
    }

    private void begin(TcpLane lane) {
        if (led.contains(lane) || !lane.lead()) {
            return; // if another thread leads, it calls this reader when it leaves and a thread still waits
        }
        try {
            lane.waitsIn(selector);
            keys.computeIfAbsent(lane, this::register);
            if (lane.isUsable()) {
                led.add(lane);
            }
        } catch (RuntimeException closed) {
            lane.breakDown(CLOSED);
        } finally {
            if (!led.contains(lane)) {
                lane.leave();
            }
        }
    }

    private SelectionKey register(TcpLane lane) {
        try {
            return lane.channel().register(selector, 0, lane);
        } catch (IOException closed) {
            throw new IllegalStateException("the channel is closed", closed);
        }
    }

    /** Leaves the lanes that no longer need a leader. Returns true if one of the others has more to read. */
    private boolean lookAtLed() {
        boolean any = false;
        for (Iterator<TcpLane> each = led.iterator(); each.hasNext();) {
            TcpLane lane = each.next();
            boolean hasMore = lane.hasMore();
            boolean goesOn = hasMore || lane.isAwaitedByVirtual();
            if (hasMore) {
                read(lane);
            }
            watch(lane, goesOn ? lane.interest() : 0);
            if (!goesOn) {
                each.remove(); // first: another thread may lead at once
                lane.leave();
            }
            any |= hasMore;
        }
        return any;
    }

    /** Reads the lane. An error breaks this lane, and affects neither another lane nor the selector. */
    private void read(TcpLane lane) {
        isUnsure = false;
        lane.readForOthers();
        isUnsure = true;
    }

    private void watch(TcpLane lane, int interest) {
        SelectionKey key = keys.get(lane);
        if (key == null || !key.isValid()) {
            lane.breakDown(CLOSED);
        } else if (key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    /** Ends the thread. All lanes must be closed. */
    @Override
    public void close() throws IOException {
        selector.wakeup();
        thread.end();
        led.forEach(TcpLane::leave);
        selector.close();
    }
}
