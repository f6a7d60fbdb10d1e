package io.atoll.fabric.link;

import io.atoll.fabric.Clock;
import io.atoll.fabric.LateVerbs;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.StackSafeLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The way to one rank's segment: the address where the rank listens, and the lanes that lead there. A lane is connected
 * at its first use. If it breaks, it is connected again at the next use, until the rank is fenced.
 *
 * <p>How long a caller waits for a connection depends on the rank's present process:
 * <table>
 * <caption>Bounds of what one call connects</caption>
 * <tr><th>The process</th><th>The caller waits</th></tr>
 * <tr><td>has never let this rank in</td><td>for {@link LaneConnector#timeout}: it may have just been started</td></tr>
 * <tr><td>has let this rank in</td><td>for {@link LaneConnector#timeoutAnew}</td></tr>
 * <tr><td>has been silent</td><td>until {@link #SILENT_WAIT} after an attempt has begun. A thread of its own makes that
 * attempt, which has the whole time of the rows above</td></tr>
 * </table>
 *
 * <p>A process has been silent in two cases: a lane has broken by its silence, or the last attempt got no answer. It no
 * longer counts as silent when it has let this rank in. So an operation waits for a silent rank only once.
 *
 * <p>Afterwards the operation may connect again, to undo what it has begun. It then waits half a second the first time,
 * and not at all while the same attempt lasts. A slow rank does not stay away for ever, either: an attempt is never cut
 * short because its caller has gone.
 *
 * @param <L> a lane
 */
public final class PeerConnection<L extends Lane> {

    /** The value of {@link #heard} if nothing was heard by the present lanes. */
    static final long UNHEARD = 0;

    /** How long callers wait for an attempt to reach a silent rank, from the start of the attempt. */
    static final Duration SILENT_WAIT = Duration.ofMillis(500);

    private static final String NOT_THERE = "the rank has not joined, has left or has died, start it or wait until it"
            + " is back";
    private static final String SILENT = //
            "the rank has been silent and does not answer yet, repeat the operation when it" + " does";
    private static final String MOVED = "the rank has moved or was started again, repeat the operation";

    private final int rank;
    private final LaneConnector<L> connector;
    private final Clock clock;
    private final LateVerbs lateVerbs;
    private final AtomicReferenceArray<@Nullable L> lanes;
    private final StackSafeLock[] connecting; // one for each lane, held while the lane is being connected
    // The last failed attempt for each lane; written under the lane's lock.
    private final AtomicReferenceArray<@Nullable Failed> failed;
    private volatile @Nullable PeerAddress peerAddress; // written under the monitor; null if the rank is not there
    // the process to which the last lane leads; written under the monitor
    private volatile @Nullable PeerAddress reached;
    private volatile @Nullable PeerAddress silent; // the process that has not answered the last attempt
    private volatile @Nullable Trial trial; // the last one; written under the monitor
    // The incarnation in which the rank came with another segment, or 0; written under the monitor.
    private volatile int lostSince;
    private volatile boolean isShutOut; // final: a rank that is taken for dead is not let in again
    private volatile int losses; // lanes that broke with writes under way; written under the monitor
    private volatile int formerLosses; // those of earlier processes of the rank; written under the monitor

    /** A failed attempt to connect. */
    private record Failed(PeerAddress peerAddress, RankUnreachableException failure) {}

    /** An attempt to reach a silent rank, by a thread of its own. */
    private final class Trial implements Runnable {

        private final PeerAddress wanted;
        private final int index;
        private final String verb;
        private final long offset;
        private final ConnectDeadline callers = ConnectDeadline.of(clock, SILENT_WAIT).asLongAs(() -> isWanted());
        private volatile @Nullable RankUnreachableException failure;
        private volatile boolean isOver; // written after the failure

        private Trial(PeerAddress wanted, int index, String verb, long offset) {
            this.wanted = wanted;
            this.index = index;
            this.verb = verb;
            this.offset = offset;
        }

        private boolean isWanted() {
            return wanted.equals(peerAddress);
        }

        @Override
        public void run() {
            try {
                connectAll(index, ConnectDeadline.of(clock, timeout(wanted)), verb, offset);
            } catch (RankUnreachableException refused) {
                failure = refused;
            } finally {
                isOver = true;
            }
        }

        /** Waits until the rank has let this rank in. Throws if it has refused, or if the callers' time is over. */
        private void await(String waitingVerb, long waitingOffset) {
            for (int attempt = 0; !isOver && callers.leftNanos() > 0; attempt++) {
                clock.pause(attempt);
            }
            boolean hasEnded = isOver; // read before the failure: the failure is written first
            RankUnreachableException refused = failure;
            if (refused != null) {
                throw refused.alsoFor(waitingVerb, waitingOffset);
            }
            if (!wanted.equals(target(waitingVerb, waitingOffset))) {
                throw new RankUnreachableException(MOVED, waitingVerb, rank, waitingOffset);
            }
            if (!hasEnded) {
                throw new RankUnreachableException(SILENT,
                        "incarnation=" + wanted.incarnation() + " address=" + wanted.address(), waitingVerb, rank,
                        waitingOffset);
            }
        }
    }

    /**
     * @param laneCount the number of lanes to the rank
     * @param lateVerbs counts what lanes may deliver late
     */
    public PeerConnection(int rank, LaneConnector<L> connector, int laneCount, LateVerbs lateVerbs) {
        this(rank, connector, laneCount, lateVerbs, Clock.SYSTEM);
    }

    PeerConnection(int rank, LaneConnector<L> connector, int laneCount, LateVerbs lateVerbs, Clock clock) {
        this.rank = rank;
        this.connector = connector;
        this.lateVerbs = lateVerbs;
        this.clock = clock;
        this.lanes = new AtomicReferenceArray<>(laneCount);
        this.failed = new AtomicReferenceArray<>(laneCount);
        this.connecting = new StackSafeLock[laneCount];
        for (int index = 0; index < laneCount; index++) {
            connecting[index] = new StackSafeLock();
        }
    }

    /** Sets the address at which the rank can be reached from now on. */
    public synchronized void open(PeerAddress next) {
        if (lostSince != 0) {
            throw new IllegalStateException("what this led to is lost: rank=" + rank + " lostSince=" + lostSince);
        }
        if (!next.isSameProcess(peerAddress)) {
            close(NOT_THERE);
            formerLosses = losses;
            lateVerbs.endBefore(rank, next.incarnation());
        }
        peerAddress = next;
    }

    /**
     * Closes this connection, because the rank has lost the segment to which it leads. It is never opened again, not
     * even by an attempt under way: its users know offsets of the lost segment.
     *
     * @param born the incarnation in which the present segment was made
     * @return the connection to the present segment, which the caller has to open
     */
    synchronized PeerConnection<L> renewed(int born) {
        lostSince = born;
        close(NOT_THERE);
        // What still arrives there changes nothing that anybody reaches.
        lateVerbs.endBefore(rank, Integer.MAX_VALUE);
        return new PeerConnection<>(rank, connector, lanes.length(), lateVerbs, clock);
    }

    /**
     * Closes the way to the rank. Verbs under way fail. Changes among them may be late until the rank's process has
     * ended.
     */
    public synchronized void close(String why) {
        mayBeLate();
        peerAddress = null;
        for (int index = 0; index < lanes.length(); index++) {
            L lane = lanes.getAndSet(index, null);
            if (lane != null) {
                close(lane, why);
            }
        }
    }

    /** From now on changes may be late. Called before a thread can be told that there is no way to the rank. */
    synchronized void mayBeLate() {
        lanes().forEach(lane -> lane.late().begin());
    }

    private static void close(Lane lane, String why) {
        try {
            lane.close(why);
        } catch (IOException failure) {
            throw new UncheckedIOException("a connection does not end", failure);
        }
    }

    /**
     * Returns a usable lane. Connects it first if necessary.
     *
     * @throws RankUnreachableException if the rank is not there, or cannot be connected to
     */
    public L lane(int index, String verb, long offset) {
        for (int other = 0; other < lanes.length(); other++) {
            L broken = lanes.get(other);
            if (broken != null && !broken.isUsable()) {
                // What the broken lane had under way may arrive until the other side has replaced it. It must not
                // arrive after what is posted from now on. So the broken lane is replaced first.
                return connect(index, verb, offset);
            }
        }
        L lane = lanes.get(index);
        return lane != null && lane.isUsable() ? lane : connect(index, verb, offset);
    }

    private L connect(int index, String verb, long offset) {
        PeerAddress wanted = target(verb, offset);
        if (isSilent(wanted)) {
            trial(wanted, index, verb, offset).await(verb, offset);
            // The rank has answered. The trial may have been for another lane. Or it may have ended by an error that
            // this thread will meet itself.
        }
        return connectAll(index, ConnectDeadline.of(clock, timeout(wanted)), verb, offset);
    }

    private boolean isSilent(PeerAddress wanted) {
        return wanted.equals(silent) || lanes().stream().anyMatch(Lane::hasFallenSilent);
    }

    private Duration timeout(PeerAddress wanted) {
        return wanted.isSameProcess(reached) ? connector.timeoutAnew() : connector.timeout();
    }

    /** Returns the trial that is under way, or a new one. */
    private synchronized Trial trial(PeerAddress wanted, int index, String verb, long offset) {
        Trial last = trial;
        if (last != null && !last.isOver && last.wanted.equals(wanted)) {
            return last;
        }
        Trial next = new Trial(wanted, index, verb, offset);
        Thread.ofPlatform()
                .name("atoll-connect-" + connector.world().name() + "-" + connector.rank() + "-" + rank)
                .daemon()
                .inheritInheritableThreadLocals(false)
                .start(next);
        trial = next;
        return next;
    }

    /** Connects the lane, after all broken ones. One deadline bounds all of it. */
    private L connectAll(int index, ConnectDeadline connectDeadline, String verb, long offset) {
        for (int other = 0; other < lanes.length(); other++) {
            L lane = lanes.get(other);
            if (lane != null && !lane.isUsable()) {
                connect(other, connectDeadline, verb, offset);
            }
        }
        L lane = lanes.get(index);
        return lane != null && lane.isUsable() ? lane : connect(index, connectDeadline, verb, offset);
    }

    /**
     * Connects one lane. A thread that waits while another one attempts it receives the same failure. If each thread
     * made its own attempt, the last would wait for all the others' timeouts.
     */
    private L connect(int index, ConnectDeadline connectDeadline, String verb, long offset) {
        Failed before = failed.get(index);
        connecting[index].lock();
        try {
            L present = lanes.get(index);
            if (present != null && present.isUsable()) {
                return present;
            }
            PeerAddress wanted = target(verb, offset);
            Failed last = failed.get(index);
            if (last != null && last != before && last.peerAddress.equals(wanted)) {
                throw last.failure.alsoFor(verb, offset);
            }
            L lane = attempt(wanted, index, connectDeadline, verb, offset);
            place(index, wanted, lane);
            return lane;
        } finally {
            connecting[index].unlock();
        }
    }

    /** Makes one attempt. It ends early if the rank is no longer reached, or is reached elsewhere. */
    private L attempt(PeerAddress wanted, int index, ConnectDeadline connectDeadline, String verb, long offset) {
        try {
            L lane = connector.connect(wanted, index, connectDeadline.asLongAs(() -> wanted.equals(peerAddress)), verb,
                    offset);
            failed.set(index, null);
            return lane;
        } catch (RankUnreachableException failure) {
            failed.set(index, new Failed(wanted, failure));
            isShutOut |= Refusal.FENCED.isToldBy(failure);
            if (!wanted.equals(target(verb, offset))) {
                throw new RankUnreachableException(MOVED, verb, rank, offset);
            }
            if (failure.getCause() instanceof SocketTimeoutException) {
                silent = wanted;
            }
            throw failure;
        }
    }

    /**
     * Waits until no attempt to connect that began before this connection was closed is still under way: each attempt
     * uses the device.
     */
    public void awaitAttempts() {
        for (StackSafeLock attempt : connecting) {
            attempt.lock();
            attempt.unlock();
        }
    }

    private PeerAddress target(String verb, long offset) {
        PeerAddress present = peerAddress;
        if (present != null) {
            return present;
        }
        int born = lostSince;
        throw born == 0
                ? new RankUnreachableException(NOT_THERE, verb, rank, offset)
                : new SegmentLostException(born, verb, rank, offset);
    }

    private synchronized void place(int index, PeerAddress connected, L lane) {
        if (!connected.isSameProcess(peerAddress)) {
            close(lane, NOT_THERE); // fenced meanwhile; the users of the lane will notice
            return;
        }
        L broken = lanes.get(index);
        if (broken != null && broken.hasLostWrites()) {
            // Before the new lane becomes visible: a thread that flushes the new lane reads this afterwards.
            losses = losses + 1;
        }
        lane.late().countBy(lateVerbs, rank, connected.incarnation());
        lanes.set(index, lane);
        reached = connected;
        silent = null;
        if (broken != null) {
            // The other side has ended the former connection before it has accepted this one.
            broken.late().end();
            close(broken, "the connection broke, repeat the operation");
        }
    }

    /** Returns how many lanes broke with writes under way and were replaced. */
    int losses() {
        return losses;
    }

    /** Returns how many of {@link #losses} belong to former processes of the rank. */
    int formerLosses() {
        return formerLosses;
    }

    /**
     * Waits until every write that was posted to the present lanes has arrived. {@link #losses} counts the lanes whose
     * writes were lost.
     *
     * @throws RankUnreachableException if the rank is not there, or a lane is broken
     */
    void flush() {
        target("flush", FabricException.WHOLE_SEGMENT);
        for (int index = 0; index < lanes.length(); index++) {
            Lane lane = lanes.get(index);
            if (lane != null) {
                lane.flush();
            }
        }
    }

    /**
     * Returns how much the present lanes have heard of an incarnation of the rank. Also asks it for a sign of life. If
     * the number has changed since the last call, the incarnation lives.
     */
    long heard(int incarnation) {
        PeerAddress present = peerAddress;
        long heard = UNHEARD;
        if (present == null || present.incarnation() != incarnation) {
            return UNHEARD;
        }
        for (L lane : lanes()) {
            if (lane.isUsable()) {
                heard += lane.heard();
                lane.ask();
            }
        }
        return heard;
    }

    /** Returns the present lanes. */
    List<L> lanes() {
        List<L> present = new ArrayList<>();
        for (int index = 0; index < lanes.length(); index++) {
            L lane = lanes.get(index);
            if (lane != null) {
                present.add(lane);
            }
        }
        return present;
    }

    /** Returns how many requests were posted to the present lanes. */
    public long posted() {
        long posted = 0;
        for (int index = 0; index < lanes.length(); index++) {
            Lane lane = lanes.get(index);
            posted += lane == null ? 0 : lane.posted();
        }
        return posted;
    }

    public boolean isOpen() {
        return peerAddress != null;
    }

    /** Returns true if the rank has refused to let this one in, because it takes this one for dead. */
    boolean isShutOut() {
        return isShutOut;
    }
}
