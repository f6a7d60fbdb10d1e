package io.atoll.fabric.link;

import io.atoll.fabric.Clock;
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
 * The way to one rank's segment: where it listens, and the lanes that lead there. A lane is connected when it is first
 * used, and again when it is used after it broke, until the rank is fenced.
 *
 * <p>How long a caller waits for a connection depends on what is known of the process that the rank is:
 * <table>
 * <caption>Bounds of what one call connects</caption>
 * <tr><th>The process</th><th>The caller waits</th></tr>
 * <tr><td>has never let this one in</td><td>for {@link Connecting#timeout}: it may have just been started</td></tr>
 * <tr><td>has</td><td>for {@link Connecting#timeoutAnew}</td></tr>
 * <tr><td>has been silent</td><td>until {@link #SILENT_WAIT} after an attempt has begun, which a thread of its own makes
 * meanwhile. That has the whole time of the rows above</td></tr>
 * </table>
 *
 * <p>A process has been silent if a lane has broken by its silence, or if the last attempt was not answered in its time.
 * It is no more when it has let this one in. So an operation that has waited for a silent rank once waits no second time.
 * What it connects afterwards, to undo what it has begun, waits half a second the first time, and not at all while that
 * attempt lasts. Nor does a slow rank stay away for ever, since no attempt is cut short for a caller that has gone.
 *
 * @param <L> a lane
 */
public final class Link<L extends Lane> {

    /** Nothing was heard by lanes that are there. */
    static final long UNHEARD = 0;

    /** Callers wait for so long, from its begin, for an attempt to reach a rank that has been silent. */
    static final Duration SILENT_WAIT = Duration.ofMillis(500);

    private static final String NOT_THERE = "the rank has not joined, has left or has died, start it or wait until it"
            + " is back";
    private static final String SILENT = "the rank has been silent and does not answer yet, repeat the operation when it"
            + " does";
    private static final String MOVED = "the rank has moved or was started again, repeat the operation";

    private final int rank;
    private final Connecting<L> connector;
    private final Clock clock;
    private final AtomicReferenceArray<@Nullable L> lanes;
    private final StackSafeLock[] connecting; // one for each lane, held while it is connected
    private final AtomicReferenceArray<@Nullable Failed> failed; // the last attempt for each lane; written under its lock
    private volatile @Nullable Target target; // written under the monitor; null where the rank is not there
    private volatile @Nullable Target reached; // to which a lane was placed last; written under the monitor
    private volatile @Nullable Target silent; // that has not answered the last attempt
    private volatile @Nullable Trial trial; // the last; written under the monitor
    private volatile int lostSince; // the incarnation in which the rank came with another segment; 0 before
    private volatile boolean isShutOut; // for good: a rank that is taken for dead is not let in again
    private volatile int losses; // lanes that broke with writes under way; written under the monitor
    private volatile int formerLosses; // those of earlier processes of the rank; written under the monitor

    /** An attempt to connect. */
    private record Failed(Target target, RankUnreachableException failure) {}

    /** An attempt to reach a rank that has been silent, by a thread of its own. */
    private final class Trial implements Runnable {

        private final Target wanted;
        private final int index;
        private final String verb;
        private final long offset;
        private final Patience callers = Patience.of(clock, SILENT_WAIT).asLongAs(() -> isWanted());
        private volatile @Nullable RankUnreachableException failure;
        private volatile boolean isOver; // written after the failure

        private Trial(Target wanted, int index, String verb, long offset) {
            this.wanted = wanted;
            this.index = index;
            this.verb = verb;
            this.offset = offset;
        }

        private boolean isWanted() {
            return wanted.equals(target);
        }

        @Override
        public void run() {
            try {
                connectAll(index, Patience.of(clock, timeout(wanted)), verb, offset);
            } catch (RankUnreachableException refused) {
                failure = refused;
            } finally {
                isOver = true;
            }
        }

        /** Returns when the rank has let this one in. */
        private void await(String waitingVerb, long waitingOffset) {
            for (int attempt = 0; !isOver && callers.leftNanos() > 0; attempt++) {
                clock.pause(attempt);
            }
            boolean hasEnded = isOver; // before what it has ended by
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

    /** @param laneCount how many lanes lead there */
    public Link(int rank, Connecting<L> connector, int laneCount) {
        this(rank, connector, laneCount, Clock.SYSTEM);
    }

    Link(int rank, Connecting<L> connector, int laneCount, Clock clock) {
        this.rank = rank;
        this.connector = connector;
        this.clock = clock;
        this.lanes = new AtomicReferenceArray<>(laneCount);
        this.failed = new AtomicReferenceArray<>(laneCount);
        this.connecting = new StackSafeLock[laneCount];
        for (int index = 0; index < laneCount; index++) {
            connecting[index] = new StackSafeLock();
        }
    }

    /** The rank can be reached there from now on. */
    public synchronized void open(Target next) {
        if (lostSince != 0) {
            throw new IllegalStateException("what this led to is lost: rank=" + rank + " lostSince=" + lostSince);
        }
        if (!next.isSameProcess(target)) {
            close(NOT_THERE);
            formerLosses = losses;
        }
        target = next;
    }

    /**
     * The rank has lost the segment to which this leads. It is never opened again, whatever attempt is under way: who
     * uses it knows offsets of the lost one.
     *
     * @param born the incarnation in which the present segment was made
     * @return the link to the present one, which is to be opened
     */
    synchronized Link<L> renewed(int born) {
        lostSince = born;
        close(NOT_THERE);
        return new Link<>(rank, connector, lanes.length(), clock);
    }

    /** The rank is reached no more. What is under way fails. */
    public synchronized void close(String why) {
        target = null;
        for (int index = 0; index < lanes.length(); index++) {
            L lane = lanes.getAndSet(index, null);
            if (lane != null) {
                close(lane, why);
            }
        }
    }

    private static void close(Lane lane, String why) {
        try {
            lane.close(why);
        } catch (IOException failure) {
            throw new UncheckedIOException("a connection does not end", failure);
        }
    }

    /** @throws RankUnreachableException when the rank is not there, or cannot be connected to */
    public L lane(int index, String verb, long offset) {
        for (int other = 0; other < lanes.length(); other++) {
            L broken = lanes.get(other);
            if (broken != null && !broken.isUsable()) {
                // What it had under way may arrive until the other side has replaced it.
                // It must not come after what is posted from now on.
                return connect(index, verb, offset);
            }
        }
        L lane = lanes.get(index);
        return lane != null && lane.isUsable() ? lane : connect(index, verb, offset);
    }

    private L connect(int index, String verb, long offset) {
        Target wanted = target(verb, offset);
        if (isSilent(wanted)) {
            trial(wanted, index, verb, offset).await(verb, offset);
            // It has answered now. The trial may have been for another lane, or ended by an error that this meets itself.
        }
        return connectAll(index, Patience.of(clock, timeout(wanted)), verb, offset);
    }

    private boolean isSilent(Target wanted) {
        return wanted.equals(silent) || lanes().stream().anyMatch(Lane::hasFallenSilent);
    }

    private Duration timeout(Target wanted) {
        return wanted.isSameProcess(reached) ? connector.timeoutAnew() : connector.timeout();
    }

    /** Returns the trial that is under way, or a new one. */
    private synchronized Trial trial(Target wanted, int index, String verb, long offset) {
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

    /** Connects the lane, and all that are broken before. One time bounds all of it. */
    private L connectAll(int index, Patience patience, String verb, long offset) {
        for (int other = 0; other < lanes.length(); other++) {
            L lane = lanes.get(other);
            if (lane != null && !lane.isUsable()) {
                connect(other, patience, verb, offset);
            }
        }
        L lane = lanes.get(index);
        return lane != null && lane.isUsable() ? lane : connect(index, patience, verb, offset);
    }

    /**
     * Threads that wait while another one attempts it are told what that was told. If each made an attempt of its own,
     * the last would wait as many times as long as there are threads.
     */
    private L connect(int index, Patience patience, String verb, long offset) {
        Failed before = failed.get(index);
        connecting[index].lock();
        try {
            L present = lanes.get(index);
            if (present != null && present.isUsable()) {
                return present;
            }
            Target wanted = target(verb, offset);
            Failed last = failed.get(index);
            if (last != null && last != before && last.target.equals(wanted)) {
                throw last.failure.alsoFor(verb, offset);
            }
            L lane = attempt(wanted, index, patience, verb, offset);
            place(index, wanted, lane);
            return lane;
        } finally {
            connecting[index].unlock();
        }
    }

    /** An attempt ends when the rank is reached no more, or elsewhere. */
    private L attempt(Target wanted, int index, Patience patience, String verb, long offset) {
        try {
            L lane = connector.connect(wanted, index, patience.asLongAs(() -> wanted.equals(target)), verb, offset);
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
     * Returns when no attempt to connect that began before the link was closed is under way any more: each uses the
     * device.
     */
    public void awaitAttempts() {
        for (StackSafeLock attempt : connecting) {
            attempt.lock();
            attempt.unlock();
        }
    }

    private Target target(String verb, long offset) {
        Target present = target;
        if (present != null) {
            return present;
        }
        int born = lostSince;
        throw born == 0
                ? new RankUnreachableException(NOT_THERE, verb, rank, offset)
                : new SegmentLostException(born, verb, rank, offset);
    }

    private synchronized void place(int index, Target connected, L lane) {
        if (!connected.isSameProcess(target)) {
            close(lane, NOT_THERE); // fenced meanwhile; whoever uses the lane will see it
            return;
        }
        L broken = lanes.get(index);
        if (broken != null && broken.hasLostWrites()) {
            losses = losses + 1; // before the new lane can be seen: whoever flushes that looks at this afterwards
        }
        lanes.set(index, lane);
        reached = connected;
        silent = null;
        if (broken != null) {
            close(broken, "the connection broke, repeat the operation");
        }
    }

    /** Returns how many lanes have broken with writes under way, and were replaced. */
    int losses() {
        return losses;
    }

    /** Returns how many of them led to processes that the rank was before. */
    int formerLosses() {
        return formerLosses;
    }

    /**
     * Returns when every write that was posted to the present lanes has arrived. {@link #losses} tells of the others.
     *
     * @throws RankUnreachableException when the rank is not there, or a lane is broken
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
     * Returns how much was heard of an incarnation of the rank by the lanes that there are, and asks it for a sign of
     * life. Another number than before means that it lives.
     */
    long heard(int incarnation) {
        Target present = target;
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

    /** Returns the lanes that there are. */
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

    /** How many work requests were posted to the lanes that there are. */
    public long posted() {
        long posted = 0;
        for (int index = 0; index < lanes.length(); index++) {
            Lane lane = lanes.get(index);
            posted += lane == null ? 0 : lane.posted();
        }
        return posted;
    }

    public boolean isOpen() {
        return target != null;
    }

    /** Returns whether the rank has refused to let this one in, since it takes it for dead. */
    boolean isShutOut() {
        return isShutOut;
    }
}
