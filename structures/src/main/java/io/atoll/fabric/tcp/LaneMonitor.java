package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.Connections.Traffic;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.PeerConnections;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Looks after the lanes of a process. It breaks a lane if an answer is due and nothing has been heard for the silence
 * timeout. The kernel alone would try for a quarter of an hour. The monitor asks an idle lane for a sign of life now
 * and then. That also keeps middleboxes from forgetting the connection.
 *
 * <p>Silence is counted in looks, not in time. A process that was paused must first read what has arrived meanwhile,
 * before it takes others for silent.
 */
class LaneMonitor implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofMillis(250);
    static final Duration LONGEST_IDLE = Duration.ofSeconds(15);
    private static final int OVERDUE_LOOKS = 4; // one second
    private static final int IDLE_LOOKS_A_POLL = 4; // so an idle lane reports its end within a second

    private final int mostSilentLooks;
    private final Duration silenceTimeout;
    private final Alarm alarm;
    private final Map<TcpLane, Watch> lanes = new ConcurrentHashMap<>(); // changed by synchronized methods
    private Traffic ended = Traffic.NONE; // of lanes that have ended; guarded by this
    private final LongAdder unknownOutcomes = new LongAdder();
    private final BackgroundThread thread;
    private long nextLookNanos = System.nanoTime(); // used by the thread only
    private long looks; // used by the thread only

    /** The monitor's observations of a lane. */
    private static final class Watch {
        private long heard;
        private volatile long silentLooks;
        private volatile Instant lastHeard = Instant.now();
        private long idleLooks;
    }

    /** @param alarm is raised when a lane breaks */
    LaneMonitor(String name, Duration silenceTimeout, Alarm alarm) {
        this.silenceTimeout = silenceTimeout;
        this.alarm = alarm;
        this.mostSilentLooks = Math.toIntExact(Math.max(1, silenceTimeout.dividedBy(INTERVAL)));
        this.thread = new BackgroundThread(name, this::lookInTime);
    }

    /** Returns after how long an idle lane is asked. A test may wait for less. */
    Duration idle() {
        return LONGEST_IDLE;
    }

    final BackgroundThread thread() {
        return thread;
    }

    /** Returns how long a lane may be silent while an answer is due. */
    Duration silenceTimeout() {
        return silenceTimeout;
    }

    final void watch(TcpLane lane) {
        synchronized (this) {
            lanes.put(lane, new Watch());
        }
        thread.wake();
    }

    final synchronized void forget(TcpLane lane) {
        if (lanes.remove(lane) != null) {
            ended = ended.and(lane.traffic());
        }
    }

    /** Returns the traffic of all lanes that there ever were. */
    final synchronized Traffic traffic() {
        Traffic traffic = ended.and(new Traffic(0, 0, 0, 0, unknownOutcomes()));
        for (TcpLane lane : lanes.keySet()) {
            traffic = traffic.and(lane.traffic());
        }
        return traffic;
    }

    /** Returns the ranks to which there are lanes, in their order. */
    final List<Peer> peers() {
        Map<Integer, List<TcpLane>> byRank = lanes.keySet()
                .stream()
                .collect(Collectors.groupingBy(TcpLane::rank, TreeMap::new, Collectors.toList()));
        return byRank.entrySet().stream().map(each -> peer(each.getKey(), each.getValue())).toList();
    }

    private Peer peer(int rank, List<TcpLane> itsLanes) {
        return PeerConnections.peer(rank, itsLanes,
                itsLanes.stream()
                        .map(TcpLane::roundTrip)
                        .filter(Duration::isPositive)
                        .min(Comparator.naturalOrder())
                        .orElse(null),
                itsLanes.stream()
                        .map(lanes::get)
                        .filter(watch -> watch != null && watch.silentLooks >= OVERDUE_LOOKS)
                        .map(watch -> watch.lastHeard)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** Notes that a lane to the rank has broken: the rank may have ended. */
    final void noteBroken(int rank) {
        alarm.raise(rank);
    }

    /** Counts verbs that change something and were lost with their connection. They may have been executed or not. */
    final void countUnknown(int verbs) {
        unknownOutcomes.add(verbs);
    }

    /** Returns how many verbs that change something were ever lost with their connections. */
    final long unknownOutcomes() {
        return unknownOutcomes.sum();
    }

    /** Looks at the lanes if it is time. Does nothing if it is woken early, because silence is counted in looks. */
    private long lookInTime() {
        long leftNanos = nextLookNanos - System.nanoTime();
        if (leftNanos > 0) {
            return leftNanos;
        }
        nextLookNanos = System.nanoTime() + INTERVAL.toNanos();
        look();
        return INTERVAL.toNanos();
    }

    private void look() {
        looks++;
        BackgroundThread.each(lanes.entrySet(), entry -> {
            look(entry.getKey(), entry.getValue());
            return true;
        });
    }

    private void look(TcpLane lane, Watch watch) {
        if (lane.isWaiting() || looks % IDLE_LOOKS_A_POLL == 0) {
            lane.poll();
        }
        long heard = lane.heard();
        boolean isSilent = heard == watch.heard;
        watch.heard = heard;
        if (!isSilent) {
            watch.lastHeard = Instant.now();
            watch.silentLooks = 0;
            watch.idleLooks = 0;
        } else if (lane.isWaiting()) {
            watch.silentLooks = watch.silentLooks + 1;
            if (watch.silentLooks >= mostSilentLooks) {
                lane.fallSilent(silenceTimeout);
            }
        } else if (++watch.idleLooks >= idle().dividedBy(INTERVAL)) {
            watch.idleLooks = 0;
            lane.ask();
        }
        if (!lane.isWaiting()) {
            watch.silentLooks = 0;
        }
    }

    @Override
    public final void close() {
        thread.end();
    }
}
