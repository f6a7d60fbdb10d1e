package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.lock.QueuedHold.Stage;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import org.jspecify.annotations.Nullable;

/**
 * Locks of the own segment, for its owner's threads. A thread that finds a lock free makes no request. Its descriptor
 * and turn stand in the tail, and that is all ({@link LocalHold}). The hold becomes a request of the same descriptor
 * only in three cases: the thread has to wait, another thread waits for it, or force is used.
 *
 * <p>All of that is so short that HotSpot makes it part of the caller's code, which then makes no object either. Writes
 * before a locked instruction delay it, and a new object delays it most. Each branch and each access counts, since it
 * carries code for what hardly ever happens.
 *
 * <p>Behind each locked instruction HotSpot loads all fields anew, and asks again for the memory's class. So the memory
 * is handed on as a parameter. Each line is {@linkplain LocalMemory#line known} to lie in it before it is used.
 */
final class LocalFastPath {

    private static final long NOBODY = -1; // no tail has this value

    private final Descriptors descriptors;
    private final LocalCohort cohort;
    private final QueueLock lock;
    private final int rank;
    private final long locks; // the part that words of own locks have in common
    private final Participant participant;

    LocalFastPath(Descriptors descriptors, LocalCohort cohort, QueueLock lock) {
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
     * @param own this process's memory
     * @param number the number of the lock's line in that memory
     * @param counter counts what is acquired at once. Requests are counted by the caller
     */
    public @Nullable Hold acquire(LocalMemory own, long index, long number, @Nullable Counter counter,
            WaitLimit limit) {
        long line = own.line(number * LockLine.SIZE);
        long lock = locks | index;
        Thread thread = Thread.currentThread();
        OwnDescriptor mine = descriptors.kept(thread);
        long descriptor = mine.at(own);
        long phase = mine.phase(own);
        if (!mine.isClaimed(thread, phase)) {
            mine = descriptors.claim(thread, limit);
            if (mine == null) {
                return null;
            }
            descriptor = mine.at(own);
            phase = mine.phase(own);
        }
        long witness = NOBODY; // stays so if the exchange throws: an exchange of the CPU that throws has not been done
        QueuedHold request;
        try {
            mine.prepare(own, descriptor, lock, participant.nowMillis());
            long self = mine.inTurn(phase);
            witness = LocalCohort.swap(own, line, self);
            if (LocalCohort.isAlone(own, line, witness)) {
                long token = LocalCohort.enter(own, line);
                if (counter != null) {
                    counter.count(own, index);
                }
                var hold = new LocalHold(own, mine, descriptor, index, Phase.turn(phase), line, self, token);
                Descriptors.holds(own, descriptor, Phase.turn(phase));
                return hold;
            }
            request = request(index, line, mine, witness == Tail.FREE);
        } catch (Throwable broken) {
            undo(own, mine, phase, line, witness == Tail.FREE);
            throw broken;
        }
        return witness == Tail.FREE
                ? this.lock.acquire(request, limit)
                : this.lock.acquireBehindOthers(request, limit);
    }

    /**
     * (undo) Undoes an acquisition that something unexpected has interrupted. Allocates nothing: memory may be what is
     * missing.
     *
     * @param stands true if the descriptor stands in the tail, or before requests that came after it
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

    /**
     * (behind, pass) Waits for a thread of this process that has come after the descriptor, and passes the lock to it.
     * That thread waits for no other thread before it links itself. Returns false if its link does not come in time.
     */
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

    /** Passes on the locks that {@link #undo} could not pass on. */
    void sweep() {
        descriptors.sweepLeft((mine, phase, line) -> pass(cohort.own, mine, phase, line));
    }

    private QueuedHold request(long index, long line, OwnDescriptor mine, boolean leads) {
        var request = new QueuedHold(lock, index, rank, descriptors.parts(), line, mine, cohort);
        if (leads) {
            request.self = mine.inTurn(mine.phase(request.own()));
            request.stage = Stage.LEADING;
        }
        return request;
    }

    /**
     * Makes a request of the hold, because a thread waits for the lock by now, or force is used. Only the thread that
     * {@linkplain LocalHold#releases releases} the lock may use the request. To all others it means nothing.
     */
    QueuedHold request(LocalHold hold) {
        QueuedHold request = request(hold.index(), hold.line(), hold.mine, true);
        request.entered = true;
        request.token = hold.token();
        request.budget = cohort.budget();
        return request;
    }

    /** Returns the hold of a thread that has a lock and has left no request behind. */
    LocalHold held(LocalMemory own, long index, long line, OwnDescriptor descriptor, long phase) {
        return new LocalHold(own, descriptor, descriptor.at(own), index, Phase.turn(phase), line,
                descriptor.inTurn(phase), cohort.token(line));
    }

    /** Releases the lock and returns true if no request stands behind the hold. */
    boolean leave(LocalHold hold) {
        boolean left = false;
        try {
            left = cohort.leave(hold.own(), hold.line(), hold.self());
            if (left) {
                hold.end();
            }
            return left;
        } catch (Throwable broken) {
            if (left) {
                hold.end(); // else the descriptor would hold for ever what it has left
            }
            throw broken;
        }
    }

    boolean seize(LocalHold hold) {
        return cohort.seize(hold.line(), hold.self());
    }
}
