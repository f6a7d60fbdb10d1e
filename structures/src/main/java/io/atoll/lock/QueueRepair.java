package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.world.Liveness;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import io.atoll.world.WaitReason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rebuilds the remote cohort's queue of a lock without the requests of dead ranks:
 * <ul>
 * <li>It closes the queue.
 * <li>It waits until no request is in the middle of enqueueing or releasing.
 * <li>It finds the holder of the lock.
 * <li>It makes all waiters enqueue again.
 * <li>It opens the queue with the holder alone in it, or empty.
 * </ul>
 *
 * <p>Nothing is spliced: the repair never asks which requests a dead rank's descriptor names. It is right for a queue
 * in which no rank has died, too. So it is the remedy for whatever is in doubt. Steps have the names that the model
 * {@code ALock.tla} gives them.
 */
class QueueRepair extends BackgroundTasks.Task {

    private static final AtomicInteger REPAIRS = new AtomicInteger();

    private final Descriptors descriptors;
    private final RemoteCohort cohort;
    private final Liveness liveness;
    private final QueuedHold request; // a request for the lock; each repair has one
    private final boolean insists;
    private final long closed; // no other repair has this word
    private final BitSet ranks; // of the cohort
    private final BitSet unsettled = new BitSet();

    private boolean opening; // it has tried to open the queue again
    private long holder = Tail.FREE;
    private final List<Long> waiters = new ArrayList<>();

    /**
     * @param asymmetric true if the owner's requests belong to another cohort
     * @param insists true if this repair takes place after another one that is under way; false if it then does nothing
     */
    QueueRepair(Descriptors descriptors, RemoteCohort cohort, QueuedHold request, boolean asymmetric, boolean insists) {
        this.descriptors = descriptors;
        this.cohort = cohort;
        this.liveness = descriptors.participant().liveness();
        this.request = request;
        this.insists = insists;
        Participant self = descriptors.participant();
        this.closed = Tail.closed(self.rank(), self.incarnation(), REPAIRS.incrementAndGet());
        unsettled.set(0, self.size());
        if (asymmetric) {
            unsettled.clear(request.owner());
        }
        this.ranks = (BitSet) unsettled.clone();
    }

    @Override
    public boolean step() {
        // Counted before the queue is closed. A thread that finds the lock lost and no repair under way knows that none
        // writes to waiters.
        descriptors.lost().countRepairs(request.owner(), 1);
        try {
            return descriptors.isLost(request) || rebuilds();
        } finally {
            descriptors.lost().countRepairs(request.owner(), -1);
        }
    }

    private boolean rebuilds() {
        Closing closing = close();
        if (closing != Closing.CLOSED) {
            return closing == Closing.NOTHING_TO_DO;
        }
        if (!settle()) {
            return false;
        }
        descriptors.participant().reservations().repair(this::rebuild, WaitReason.of("lock"));
        return true;
    }

    private void rebuild() {
        survey();
        retry();
        reopen();
    }

    enum Closing {
        CLOSED, LATER, NOTHING_TO_DO
    }

    /**
     * (close) Closes the queue. If the answer was missing when this repair closed it, or opened it again, the tail
     * tells.
     */
    private Closing close() {
        long tail = cohort.tail(request);
        while (!isClosedByThis(tail)) {
            if (tail == Tail.FREE || opening) {
                return Closing.NOTHING_TO_DO;
            }
            if (Tail.isClosed(tail) && !descriptors.hasEnded(request, tail)) {
                return insists ? Closing.LATER : Closing.NOTHING_TO_DO;
            }
            // A closed tail may say that the lock is free. That need not be kept: a holder that told a dead repairer so
            // settles before the survey.
            long witness = cohort.exchangeTail(request, tail, closed);
            tail = witness == tail ? closed : witness;
        }
        return Closing.CLOSED;
    }

    private boolean isClosedByThis(long tail) {
        return tail == closed || tail == Tail.closedAndFree(closed);
    }

    /**
     * (settle) Returns true if no request is in the middle of a step. A request that was passing the lock when the
     * queue was closed passes it. A request that begins to release later does not.
     */
    boolean settle() {
        for (int rank = unsettled.nextSetBit(0); rank >= 0; rank = unsettled.nextSetBit(rank + 1)) {
            if (isSettled(rank)) {
                unsettled.clear(rank);
            }
        }
        return unsettled.isEmpty();
    }

    private boolean isSettled(int rank) {
        boolean[] settled = {true};
        visit(rank, (_, words, position) -> {
            long phase = Phase.kind(words.word(position + Descriptor.PHASE));
            settled[0] &= phase != Phase.ENQUEUEING && phase != Phase.RELEASING;
        });
        return settled[0];
    }

    /** Visits the rank's requests, if it lives. */
    private void visit(int rank, Descriptors.Visitor visitor) {
        try {
            int incarnation = descriptors.incarnation(rank);
            if (!isGone(rank, incarnation)) {
                descriptors.visit(rank, request, visitor);
            }
            requirePresent(rank);
        } catch (SegmentLostException lost) {
            // (lost) A later process of the rank may stand in the queue. The next parts of the table show it.
            throw lost;
        } catch (RankUnreachableException gone) {
            // (gone) The rank's segment has gone with it. Nothing in it is needed: survivors know that the rank has
            // ended.
            if (!isGone(rank, Liveness.EVERY_INCARNATION)) {
                throw gone;
            }
        }
    }

    /**
     * (lost) Checked after the queue was closed: requests from before must not have been read in a segment that the
     * rank has lost.
     */
    private void requirePresent(int rank) {
        LaterSegment later = descriptors.laterSegment(rank);
        if (later == LaterSegment.IN_USE
                || later == LaterSegment.LEFT_BEHIND && !isGone(rank, Liveness.EVERY_INCARNATION)) {
            throw Parts.another(rank);
        }
    }

    /**
     * Returns true if nothing of the rank arrives any more, neither at the lock nor at a waiter's descriptor. A rank
     * that was cut off in the middle of a release may still grant the lock to a waiter. That must not happen after the
     * repair.
     */
    boolean isGone(int rank, int incarnation) {
        if (!liveness.isFenced(rank, incarnation, request.owner())) {
            return false;
        }
        for (int waiting = ranks.nextSetBit(0); waiting >= 0; waiting = ranks.nextSetBit(waiting + 1)) {
            if (waiting != rank && !liveness.isFenced(rank, incarnation, waiting)) {
                return false;
            }
        }
        return true;
    }

    /** (survey) Finds the holder and the waiters. All requests are at rest now, or about to find the queue closed. */
    private void survey() {
        holder = Tail.FREE;
        waiters.clear();
        for (int rank = ranks.nextSetBit(0); rank >= 0; rank = ranks.nextSetBit(rank + 1)) {
            visit(rank, (name, words, position) -> place(name, Phase.kind(words.word(position + Descriptor.PHASE)),
                    words.word(position + Descriptor.GRANT)));
        }
    }

    private void place(long name, long phase, long grant) {
        boolean leads = phase == Phase.LEADING || phase == Phase.HOLDING || phase == Phase.RELEASING
                || Phase.isInLine(phase) && Grant.isPassed(grant);
        if (leads) {
            holder = name;
        } else if (Phase.isInLine(phase) && grant == Grant.NONE) {
            waiters.add(name);
        }
    }

    /** (retry) */
    private void retry() {
        for (long waiter : waiters) {
            try {
                request.cohort.grant(waiter, Grant.RETRY);
            } catch (RankUnreachableException gone) {
                if (!descriptors.hasEnded(request, waiter)) {
                    throw gone;
                }
            }
        }
    }

    /** (reopen) Opens the queue. If no living request holds the lock, a holder may have died with it. */
    void reopen() {
        Batch batch = cohort.batch(request);
        batch.read(request.owner(), request.line() + LockLine.RECOVERIES, 0, LockLine.SIZE - LockLine.RECOVERIES);
        batch.complete();
        long recoveries = batch.word(0);
        long repairs = batch.word(LockLine.REPAIRS - LockLine.RECOVERIES) + 1;
        if (holder == Tail.FREE) {
            batch.writeWord(request.owner(), request.line() + LockLine.RECOVERIES, recoveries + 1);
        }
        batch.writeWord(request.owner(), request.line() + LockLine.REPAIRS, repairs);
        long alone = holder == Tail.FREE ? Tail.FREE : Tail.inEpoch(repairs, holder);
        opening = true;
        int result = batch.compareAndExchange(request.owner(), request.line() + LockLine.REMOTE_TAIL, closed, alone);
        batch.complete();
        if (batch.result(result) != closed) {
            // The holder has released it meanwhile.
            cohort.exchangeTail(request, Tail.closedAndFree(closed), Tail.FREE);
        }
    }
}
