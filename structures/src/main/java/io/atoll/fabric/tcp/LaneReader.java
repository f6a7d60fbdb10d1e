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
 * Reads the answers of lanes on which only virtual threads wait: by one platform thread, which is there from the first
 * such wait on. It leads a lane as long as a virtual thread waits there, see {@link TcpLane}. Platform threads that go
 * on to wait lead by themselves: they would have to be woken for each answer.
 *
 * <p>Each turn of the thread does three things:
 * <ol>
 * <li>It looks at each lane that it leads, by loads only: for what the lane waits, and whether it still has to be led.
 * <li>It waits until one of the lanes is ready.
 * <li>It reads those that are ready, each so often at most that the others have their turn.
 * </ol>
 * A system call is made for a lane that is ready, and for no other.
 *
 * <p>No wake-up is missed. What a thread does to a lane before it wakes the selector is seen by the next look: the
 * selector remembers a wake-up that nobody waits for. Frames that were gathered need none. They go out when an answer
 * comes, or when the socket has room, and the lane is ready then. What a wire has decrypted and not yet handed over
 * makes no socket ready: then the turn waits for nothing.
 *
 * <p>After an error elsewhere nobody knows what the selector would wait for. So the lanes that are led break.
 */
final class LaneReader implements AutoCloseable {

    private static final long SELECT_MILLIS = 250;
    private static final String CLOSED = "its channel is closed";

    private final Selector selector;
    private final Queue<TcpLane> wanted = new ConcurrentLinkedQueue<>();
    private final Map<TcpLane, SelectionKey> keys = new ConcurrentHashMap<>();
    private final Set<TcpLane> led = new HashSet<>(); // exactly those whose lead the thread has; of the thread
    private boolean isUnsure; // about what the last turn has done
    private final Consumer<SelectionKey> reading = key -> read((TcpLane) key.attachment());
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
            selector.select(reading, SELECT_MILLIS);
        }
        isUnsure = false;
        return led.isEmpty() && wanted.isEmpty() ? BackgroundThread.UNTIL_WOKEN : 0;
    }

    private void begin(TcpLane lane) {
        if (led.contains(lane) || !lane.lead()) {
            return; // a thread that leads asks for this one when it leaves, if somebody still waits
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

    /** Leaves the lanes that need not be led any more. Returns whether one of the others has more. */
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

    /** An error breaks this lane, and concerns neither another one nor the selector. */
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

    /** All lanes must be closed. */
    @Override
    public void close() throws IOException {
        selector.wakeup();
        thread.end();
        led.forEach(TcpLane::leave);
        selector.close();
    }
}
