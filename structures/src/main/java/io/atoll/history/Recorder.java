package io.atoll.history;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.failure.FencedException;
import io.atoll.failure.SegmentFullException;
import io.atoll.world.Participant;
import io.atoll.world.Peers;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the history of this rank, by a thread of its own: a point each second, and events soon after they happen. The
 * history lies in a {@linkplain HistoryRun run} of the own segment. A process that is started again with the segment
 * goes on with it.
 *
 * <p>While this rank is out of its world the thread writes nothing, and events wait. If the segment has no room, there
 * is no history until the rank has another life.
 */
public final class Recorder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

    /** A history that would take more than one part in this number of its segment is not kept. */
    private static final int LARGEST_PART = 8;

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");
    private static final int NO_LIFE = 0;

    private final HistoryBlock block;
    private final String world;
    private final Supplier<Participant> participants;
    private final Supplier<Peers> peers;
    private final Optional<VerbCounts> verbs;
    private final PendingEvents pendingEvents;
    private final ProcessStats process = new ProcessStats();
    private final RankHistory.Identity identity = identity();
    private final BackgroundThread thread;

    // The following fields are used by the thread only.
    private final OperationStats operations;
    private final long[] values = new long[Series.values().length];
    private int incarnation = NO_LIFE; // whose history is written
    private final HistoryRun run;
    private @Nullable HistoryWriter writer; // null if there is no room
    private @Nullable OwnStats figures;
    private List<Peer> seen = List.of();
    private int ranksJoined;
    private boolean isOut;
    private boolean hasWarned;
    private long dueNanos;

    /**
     * @param participants this process's part in the world, in its present life
     * @param peers of that life
     * @param verbs of this process, if they are counted
     * @param background the threads to which this one is added
     */
    public Recorder(String world, Supplier<Participant> participants, Supplier<Peers> peers,
            Optional<VerbCounts> verbs, PendingEvents pendingEvents, BackgroundThreads background) {
        this(HistoryBlock.OF_RANKS, world, participants, peers, verbs, pendingEvents, background);
    }

    Recorder(HistoryBlock block, String world, Supplier<Participant> participants, Supplier<Peers> peers,
            Optional<VerbCounts> verbs, PendingEvents pendingEvents, BackgroundThreads background) {
        this.block = block;
        this.run = new HistoryRun(block);
        this.world = world;
        this.participants = participants;
        this.peers = peers;
        this.verbs = verbs;
        this.pendingEvents = pendingEvents;
        this.operations = new OperationStats(block.structures());
        this.thread = background.add(new BackgroundThread("atoll-history-" + world, this::step));
    }

    private static RankHistory.Identity identity() {
        ProcessHandle self = ProcessHandle.current();
        String version = Recorder.class.getPackage().getImplementationVersion();
        return new RankHistory.Identity(host(), self.pid(), version == null ? "" : version,
                self.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }

    private static String host() {
        try {
            return Files.readString(HOST).strip();
        } catch (IOException unreadable) {
            LOG.debug("the host has no name: file={}", HOST, unreadable);
            return "";
        }
    }

    /** Begins, once this process has joined. */
    public void start() {
        pendingEvents.whenAdded(thread::wake);
        thread.wake();
    }

    /** Ends, before this process leaves. */
    @Override
    public void close() {
        pendingEvents.whenAdded(() -> {});
        thread.close();
        try {
            process.close();
        } catch (IOException failure) {
            LOG.debug("cannot close what was read of this process", failure);
        }
    }

    /** Returns the nanoseconds to the next point. */
    private long step() {
        return Math.max(1, step(System.nanoTime()) - System.nanoTime());
    }

    /** Returns when the next point is due. Allocates nothing if nothing has happened. */
    long step(long nowNanos) {
        try {
            record(participants.get(), nowNanos);
        } catch (FencedException out) {
            noteRemoval(out, nowNanos);
        }
        return dueNanos;
    }

    private void record(Participant self, long nowNanos) {
        if (self.incarnation() != incarnation) {
            attach(self);
            dueNanos = nowNanos;
        }
        HistoryWriter history = writer;
        OwnStats own = figures;
        boolean isDue = nowNanos - dueNanos >= 0;
        if (isDue) {
            dueNanos = nowNanos - dueNanos < INTERVAL_NANOS ? dueNanos + INTERVAL_NANOS : nowNanos + INTERVAL_NANOS;
        }
        if (history == null || own == null) {
            return;
        }
        look(peers.get().snapshot(), self.rank());
        long nowMillis = System.currentTimeMillis();
        if (isDue) {
            own.read(self, ranksJoined, nowNanos, values);
            operations.look(self.operations(), nowMillis);
            values[Series.OPERATIONS.ordinal()] = operations.total();
            // First: a reader that finds the point finds the operations that it sums up.
            history.operations(operations);
            history.point(nowMillis, values);
        }
        write(history);
    }

    private void write(HistoryWriter history) {
        for (PendingEvents.Note next = pendingEvents.oldest(); next != null; next = pendingEvents.oldest()) {
            history.event(next.atMillis(), next.kind(), next.subject(), next.text());
            pendingEvents.removeOldest(); // an event that cannot be written now waits
        }
        history.dropped(pendingEvents.dropped());
    }

    /** Compares the ranks with their former standings. The list is another object whenever something has changed. */
    private void look(List<Peer> present, int self) {
        if (present == seen) {
            return;
        }
        int joined = 0;
        for (Peer peer : present) {
            Peer before = peer.rank() < seen.size() ? seen.get(peer.rank()) : null;
            joined += peer.status() == PeerStatus.JOINED ? 1 : 0;
            if (peer.rank() != self) {
                compare(before, peer);
            }
        }
        seen = present;
        ranksJoined = joined;
    }

    private void compare(@Nullable Peer before, Peer peer) {
        boolean wasJoined = before != null && before.status() == PeerStatus.JOINED;
        boolean isOther = before == null || before.incarnation() != peer.incarnation();
        if (wasJoined && (peer.status() != PeerStatus.JOINED || isOther)) {
            pendingEvents.add(Event.Kind.LOST, peer.rank(), "incarnation " + before.incarnation());
        }
        if (peer.status() == PeerStatus.JOINED && (!wasJoined || isOther)) {
            pendingEvents.add(Event.Kind.JOINED, peer.rank(), "incarnation " + peer.incarnation());
        }
        String refusal = peer.refusal();
        if (refusal != null && (before == null || !Objects.equals(before.refusal(), refusal))) {
            pendingEvents.add(Event.Kind.REFUSED, peer.rank(), refusal);
        }
    }

    private void noteRemoval(FencedException out, long nowNanos) {
        dueNanos = nowNanos + INTERVAL_NANOS;
        if (!isOut) {
            isOut = true;
            pendingEvents.add(Event.Kind.REMOVED, participants.get().rank(), String.valueOf(out.getMessage()));
        }
    }

    // --- the block ---

    private void attach(Participant self) {
        boolean isFirst = incarnation == NO_LIFE;
        writer = find(self);
        figures = new OwnStats(self, process, verbs, pendingEvents);
        HistoryWriter history = writer;
        if (history != null) {
            history.identify(identity);
        }
        pendingEvents.add(isFirst ? Event.Kind.JOINED : Event.Kind.REJOINED, self.rank(),
                "incarnation " + self.incarnation());
        isOut = false;
        incarnation = self.incarnation(); // last: after an Error all of it is done again
    }

    private @Nullable HistoryWriter find(Participant self) {
        HistoryWriter kept = run.kept(self);
        if (kept != null) {
            return kept;
        }
        if (block.bytes() > self.segmentBytes() / LARGEST_PART) {
            warn("the segment is small: segmentBytes=" + self.segmentBytes());
            return null;
        }
        try {
            return run.reserve(self);
        } catch (SegmentFullException full) {
            warn(full.getMessage());
            return null;
        }
    }

    private void warn(@Nullable String why) {
        if (!hasWarned) {
            hasWarned = true;
            LOG.warn("no history of this rank is kept, make its segment larger or turn it off"
                    + " (atoll.history.enabled=false): world={} bytes={} cause={}", world, block.bytes(), why);
        }
    }
}
