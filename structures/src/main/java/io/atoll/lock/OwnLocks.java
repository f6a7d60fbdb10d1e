package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.lock.QueuedRequest.Stage;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import org.jspecify.annotations.Nullable;

/**
 * Locks of the own segment, for its owner's threads. Who finds one free makes no request of it: it stands in the tail by its descriptor and turn, and that is all ({@link OwnClaim}). Only when
 * it has to wait, somebody waits for it, or force is used, it becomes a request like others, of the same descriptor.
 *
 * <p>All of that is short enough for HotSpot to make it part of the caller's code, which then makes no object either: what is written before a locked instruction delays it, and a new object
 * most. Each branch and each access counts, since they carry code for what hardly ever happens. Behind each locked instruction HotSpot loads all fields anew, and asks again of what class the memory
 * is: so that is handed on, and each line is {@linkplain LocalMemory#line known} to lie in it before it is used.
 */
final class OwnLocks {

    private static final long NOBODY = -1; // no tail

    private final Descriptors descriptors;
    private final LocalCohort cohort;
    private final QueueLock lock;
    private final int rank;
    private final long locks; // the part that words of own locks have in common
    private final Participant participant;

    OwnLocks(Descriptors descriptors, LocalCohort cohort, QueueLock lock) {
        this.descriptors = descriptors;
        this.cohort = cohort;
        this.lock = lock;
        this.participant = descriptors.participant();
        this.rank = descriptors.rank();
        this.locks = Descriptor.lock(descriptors.parts().born(rank), 0);
    }

    /**
     * As {@link QueueLock#acquire}.
     *
     * @param own this process's
     * @param number of the lock's line there
     * @param counter of what is acquired at once; requests are counted by who asked for them
     */
    public @Nullable Claim acquire(LocalMemory own, long index, long number, @Nullable Counter counter,
            Patience patience) {
        long line = own.line(number * LockLine.SIZE);
        long lock = locks | index;
        Thread thread = Thread.currentThread();
        OwnDescriptor mine = descriptors.kept(thread);
        long descriptor = mine.at(own);
        long phase = mine.phase(own);
        if (!mine.isClaimed(thread, phase)) {
            mine = descriptors.claim(thread, patience);
            if (mine == null) {
                return null;
            }
            descriptor = mine.at(own);
            phase = mine.phase(own);
        }
        long witness = NOBODY; // an exchange of the CPU that throws has not been done
        QueuedRequest request;
        try {
            mine.prepare(own, descriptor, lock, participant.nowMillis());
            long self = mine.inTurn(phase);
            witness = LocalCohort.swap(own, line, self);
            if (LocalCohort.isAlone(own, line, witness)) {
                long token = LocalCohort.enter(own, line);
                if (counter != null) {
                    counter.count(own, index);
                }
                var claim = new OwnClaim(own, mine, descriptor, index, Phase.turn(phase), line, self, token);
                Descriptors.holds(own, descriptor, Phase.turn(phase));
                return claim;
            }
            request = request(index, line, mine, witness == Tail.FREE);
        } catch (Throwable broken) {
            undo(own, mine, phase, line, witness == Tail.FREE);
            throw broken;
        }
        return witness == Tail.FREE
                ? this.lock.acquire(request, patience)
                : this.lock.acquireBehindOthers(request, patience);
    }

    /**
     * (undo) What something unexpected has interrupted. Allocates nothing: memory may be what is missing.
     *
     * @param stands whether it stands in the tail, or before those who came after it
     */
    private void undo(LocalMemory own, OwnDescriptor mine, long phase, long line, boolean stands) {
        if (!stands) {
            descriptors.giveBack(mine);
            return;
        }
        if (cohort.leave(own, line, mine.inTurn(phase)) || awaitPassed(own, mine, phase, line)) {
            descriptors.end(mine, phase);
        } else {
            descriptors.leaveToSweep(mine, phase, line);
        }
    }

    /** (behind, pass) Whether who has come after it, a thread of this process that waits for nobody there, has said so in time, and has the lock now. */
    private boolean awaitPassed(LocalMemory own, OwnDescriptor mine, long phase, long line) {
        Clock clock = descriptors.clock();
        long deadlineNanos = clock.nanoTime() + lock.timeout().toNanos();
        boolean passed = pass(own, mine, phase, line);
        for (int attempt = 0; !passed && clock.nanoTime() - deadlineNanos < 0; attempt++) {
            clock.pause(attempt);
            passed = pass(own, mine, phase, line);
        }
        return passed;
    }

    private boolean pass(LocalMemory own, OwnDescriptor mine, long phase, long line) {
        long next = own.getAcquire(mine.at(own) + Descriptor.NEXT);
        if (next == Tail.FREE || !Tail.isOfSameEpoch(next, mine.inTurn(phase))) {
            return false;
        }
        cohort.grant(next, Grant.passed(0, cohort.token(line)));
        own.setRelease(mine.at(own) + Descriptor.NEXT, Tail.FREE);
        lock.hasGranted(next);
        return true;
    }

    /** Passes on what {@link #undo} could not. */
    void sweep() {
        descriptors.sweepLeft((mine, phase, line) -> pass(cohort.own, mine, phase, line));
    }

    private QueuedRequest request(long index, long line, OwnDescriptor mine, boolean leads) {
        var request = new QueuedRequest(lock, index, rank, descriptors.parts(), line, mine, cohort);
        if (leads) {
            request.self = mine.inTurn(mine.phase(request.own()));
            request.stage = Stage.LEADING;
        }
        return request;
    }

    /** Somebody waits for it by now, or force is used. For whoever {@linkplain OwnClaim#releases releases} it: to all others the request means nothing. */
    QueuedRequest request(OwnClaim claim) {
        QueuedRequest request = request(claim.index(), claim.line(), claim.mine, true);
        request.entered = true;
        request.token = claim.token();
        request.budget = cohort.budget();
        return request;
    }

    /** What a thread has a lock by that has left no request behind. */
    OwnClaim held(LocalMemory own, long index, long line, OwnDescriptor descriptor, long phase) {
        return new OwnClaim(own, descriptor, descriptor.at(own), index, Phase.turn(phase), line,
                descriptor.inTurn(phase), cohort.token(line));
    }

    /** Whether nobody stands behind it: it is released then. */
    boolean leave(OwnClaim claim) {
        boolean left = false;
        try {
            left = cohort.leave(claim.own(), claim.line(), claim.self());
            if (left) {
                claim.end();
            }
            return left;
        } catch (Throwable broken) {
            if (left) {
                claim.end(); // else the descriptor would hold for ever what it has left
            }
            throw broken;
        }
    }

    boolean seize(OwnClaim claim) {
        return cohort.seize(claim.line(), claim.self());
    }
}
