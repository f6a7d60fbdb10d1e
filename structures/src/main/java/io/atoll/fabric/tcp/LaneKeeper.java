package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Looks after the lanes of a process. A lane on which something is waited for and nothing has been heard for the
 * silence timeout is broken; the kernel alone would try for a quarter of an hour. An idle lane is asked for a sign of
 * life now and then. That also keeps middleboxes from forgetting the connection.
 *
 * <p>Silence is counted in looks, not in time: a process that was paused must read what has arrived meanwhile before it
 * takes others for silent.
 */
final class LaneKeeper implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofMillis(250);
    private static final Duration IDLE = Duration.ofSeconds(15);

    private final int mostSilentLooks;
    private final Duration silenceTimeout;
    private final Map<TcpLane, Watch> lanes = new ConcurrentHashMap<>();
    private final LongAdder unknownOutcomes = new LongAdder();
    private final BackgroundThread thread;

    /** What was seen of a lane. */
    private static final class Watch {
        private long heard;
        private long silentLooks;
        private long idleLooks;
    }

    LaneKeeper(String name, Duration silenceTimeout) {
        this.silenceTimeout = silenceTimeout;
        this.mostSilentLooks = Math.toIntExact(Math.max(1, silenceTimeout.dividedBy(INTERVAL)));
        this.thread = new BackgroundThread(name, BackgroundThread.every(INTERVAL, this::look));
    }

    BackgroundThread thread() {
        return thread;
    }

    void keep(TcpLane lane) {
        lanes.put(lane, new Watch());
        thread.wake();
    }

    void forget(TcpLane lane) {
        lanes.remove(lane);
    }

    /** Frames that change something were lost with their connection: they may have been executed or not. */
    void countUnknown(int frames) {
        unknownOutcomes.add(frames);
    }

    /** Returns how many frames that change something were lost with their connections, ever. */
    long unknownOutcomes() {
        return unknownOutcomes.sum();
    }

    /** Returns whether all lanes that are kept can be used. */
    boolean areUsable() {
        return lanes.keySet().stream().allMatch(TcpLane::isUsable);
    }

    private void look() {
        BackgroundThread.each(lanes.entrySet(), entry -> {
            look(entry.getKey(), entry.getValue());
            return true;
        });
    }

    private void look(TcpLane lane, Watch watch) {
        lane.poll();
        long heard = lane.heard();
        boolean isSilent = heard == watch.heard;
        watch.heard = heard;
        if (!isSilent) {
            watch.silentLooks = 0;
            watch.idleLooks = 0;
        } else if (lane.isWaiting()) {
            if (++watch.silentLooks >= mostSilentLooks) {
                lane.breakDown("silent for " + silenceTimeout.toMillis() + " ms");
            }
        } else if (++watch.idleLooks >= IDLE.dividedBy(INTERVAL)) {
            watch.idleLooks = 0;
            lane.ask();
        }
        if (!lane.isWaiting()) {
            watch.silentLooks = 0;
        }
    }

    @Override
    public void close() {
        thread.end();
    }
}
