package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.world.Doing;
import io.atoll.world.Liveness;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rebuilds the remote cohort's queue of a lock without those who have died: closes the queue, waits until everybody who is in the middle of enqueueing or releasing has come to rest, finds who
 * holds the lock, makes all waiters enqueue again, and opens the queue with the holder alone in it, or nobody.
 *
 * <p>Nothing is spliced: whom a dead rank's descriptor names is never asked. Right for a queue in which nobody has died, too, so it is the remedy for whatever
 * is in doubt. Names of steps are those of the model, {@code ALock.tla}.
 */
class Repair extends Keeper.Task {

    private static final AtomicInteger REPAIRS = new AtomicInteger();

    private final Descriptors descriptors;
    private final RemoteCohort cohort;
    private final Liveness liveness;
    private final QueuedRequest request; // of the lock; whoever repairs has one
    private final boolean insists;
    private final long closed; // no other repair's word
    private final BitSet ranks; // of the cohort
    private final BitSet unsettled = new BitSet();

    private boolean opening; // it has tried to open the queue again
    private long holder = Tail.FREE;
    private final List<Long> waiters = new ArrayList<>();

    /**
     * @param asymmetric whether the owner's requests belong to another cohort
     * @param insists whether it takes place also if somebody else's does at the moment, after that
     */
    Repair(Descriptors descriptors, RemoteCohort cohort, QueuedRequest request, boolean asymmetric, boolean insists) {
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
        // Before the queue is closed. A thread that sees no repair under way, and the lock lost, knows that none writes to waiters.
        descriptors.countRepairs(request.owner(), 1);
        try {
            return descriptors.isLost(request) || rebuilds();
        } finally {
            descriptors.countRepairs(request.owner(), -1);
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
        descriptors.participant().reservations().repair(this::rebuild, Doing.of("lock"));
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

    /** (close) If the answer was missing when it was closed, or opened again, the tail tells. */
    private Closing close() {
        long tail = cohort.tail(request);
        while (!isClosedByThis(tail)) {
            if (tail == Tail.FREE || opening) {
                return Closing.NOTHING_TO_DO;
            }
            if (Tail.isClosed(tail) && !descriptors.hasEnded(request, tail)) {
                return insists ? Closing.LATER : Closing.NOTHING_TO_DO;
            }
            // That the lock is free need not be kept: a holder that told a dead repairer so settles before the survey.
            long witness = cohort.exchangeTail(request, tail, closed);
            tail = witness == tail ? closed : witness;
        }
        return Closing.CLOSED;
    }

    private boolean isClosedByThis(long tail) {
        return tail == closed || tail == Tail.closedAndFree(closed);
    }

    /** (settle) Who was in the middle of passing the lock when the queue was closed passes it; who begins to release it later does not. */
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

    /** The rank's requests, if it lives. */
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
            // (gone) Its segment has gone with it, and what it has had there is not needed: survivors know that it has ended.
            if (!isGone(rank, Liveness.EVERY_INCARNATION)) {
                throw gone;
            }
        }
    }

    /** (lost) Behind the close of the queue: what stood there before was not read in a segment that the rank has lost. */
    private void requirePresent(int rank) {
        LaterSegment later = descriptors.laterSegment(rank);
        if (later == LaterSegment.IN_USE
                || later == LaterSegment.LEFT_BEHIND && !isGone(rank, Liveness.EVERY_INCARNATION)) {
            throw Parts.another(rank);
        }
    }

    /**
     * Whether nothing of it arrives any more, neither at the lock nor at the descriptor of anybody who waits: who was cut off in the middle of releasing the lock grants it to whom it can reach, and that must not
     * be after the repair.
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

    /** (survey) All at rest now, or about to find the queue closed. */
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

    /** (reopen) If nobody who lives holds the lock, somebody may have died with it. */
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
            // Who held it has released it meanwhile.
            cohort.exchangeTail(request, Tail.closedAndFree(closed), Tail.FREE);
        }
    }
}
