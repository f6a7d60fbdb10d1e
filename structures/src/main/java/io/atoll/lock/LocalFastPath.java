package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.lock.QueuedHold.Stage;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Locks of the own segment, for its owner's threads. A thread that finds a lock free makes no request. Its descriptor
 * and turn stand in the tail, and that is all ({@link LocalHold}). The hold becomes a request of the same descriptor
 * only in three cases. The thread has to wait, another thread waits for it, or force is used.
 *
 * <p>All of that is so short that HotSpot inlines it into the caller's code, which then makes no object either. Writes
 * before a locked instruction delay it, and a new object delays it most. Each branch and each access counts, since it
 * carries code for what hardly ever happens.
 *
 * <p>Behind each locked instruction HotSpot loads all fields anew, and asks again for the memory's class. So the memory
 * is handed on as a parameter. Each line is {@linkplain LocalMemory#line known} to lie in it before it is used.
 */
final class LocalFastPath {

    private static final long NOBODY = -1; // no tail has this value

    private final Descriptors descriptors;
    private final DescriptorPool pool;
    private final LocalCohort cohort;
    private final QueueLock lock;
    private final BackgroundTasks background;
    private final int rank;
    private final int born; // the incarnation in which the own segment was made
    private final long locks; // the part that words of own locks have in common
    private final Participant participant;

    LocalFastPath(Descriptors descriptors, LocalCohort cohort, QueueLock lock, BackgroundTasks background) {
        this.descriptors = descriptors;
        this.pool = descriptors.pool();
        this.cohort = cohort;
        this.lock = lock;
        this.background = background;
        this.participant = descriptors.participant();
        this.rank = descriptors.rank();
        this.born = descriptors.parts().born(rank);
        this.locks = Descriptor.lock(born, 0);
    }

    /** Returns the incarnation in which the own segment was made. */
    int born() {
        return born;
    }

    /**
     * Frees a lock that a former incarnation held. Called before any thread uses the lock.
     *
     * @param line the offset of the lock in the own segment
     */
    void restart(long line) {
        cohort.restart(line, participant.incarnation());
    }

    /**
     * As {@link QueueLock#acquire}.
     *
     * @param own this process's memory
     * @param number the number of the lock's line in that memory
     */
    public @Nullable Hold acquire(LocalMemory own, long index, long number, WaitLimit limit) {
        long line = own.line(number * LockLine.SIZE);
        long lock = locks | index;
        Thread thread = Thread.currentThread();
        OwnDescriptor mine = pool.kept(thread);
        long descriptor = mine.at(own);
        long phase = mine.phase(own);
        if (!mine.isClaimed(thread, phase)) {
            mine = pool.claim(thread, limit);
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
                var hold = new LocalHold(this, own, mine, descriptor, index, Phase.turn(phase), line, self, token);
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
            pool.giveBack(mine);
            return;
        }
        if (cohort.leave(own, line, mine.inTurn(phase)) || awaitPassed(own, mine, phase, line)) {
            pool.end(mine, phase);
        } else {
            pool.leaveToSweep(mine, phase, line);
        }
    }

    /**
     * (behind, pass) Waits for the thread of this process that has come after the descriptor. Passes the lock to that
     * thread. That thread waits for no other thread before it links itself. Returns false if its link does not come in
     * time.
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
        pool.sweepLeft((mine, phase, line) -> pass(cohort.own, mine, phase, line));
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
    LocalHold restore(LocalMemory own, long index, long line, OwnDescriptor descriptor, long phase) {
        return new LocalHold(this, own, descriptor, descriptor.at(own), index, Phase.turn(phase), line,
                descriptor.inTurn(phase), cohort.token(line));
    }

    /** As {@link Hold#release}. */
    boolean release(LocalHold hold) {
        if (!hold.isHolding()) {
            return false;
        }
        return leave(hold) || releaseFollowed(hold);
    }

    /** (leave) Releases the lock and returns true if no request stands behind the hold. */
    private boolean leave(LocalHold hold) {
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

    /** Releases a lock for which a request waits, or which another thread has just released. */
    private boolean releaseFollowed(LocalHold hold) {
        if (cohort.awaitFollower(hold, lock.timeout())) {
            QueuedHold request = request(hold);
            return hold.releases() && lock.leaveAfterUse(request);
        }
        return hold.isHolding() && releaseLater(hold);
    }

    /**
     * (late) Has the background thread release the lock as soon as the successor has linked itself. Another thread may
     * release it before.
     */
    private boolean releaseLater(LocalHold hold) {
        var later = new BackgroundTasks.Task() {

            @Override
            public boolean step() {
                if (hold.isHolding() && LocalCohort.isFollowed(hold)) {
                    QueuedHold request = request(hold);
                    if (hold.releases()) {
                        lock.leaveAfterUse(request, Duration.ZERO);
                    }
                }
                return !hold.isHolding();
            }
        };
        hold.detach();
        background.add(later);
        return true;
    }

    /** As {@link Hold#revoke}. The read that can fail comes first: its result is void if the lock is released. */
    boolean revoke(LocalHold hold, Duration patience) {
        if (!hold.isHolding()) {
            return false;
        }
        QueuedHold request = request(hold);
        long known = lock.knownDeaths(request);
        boolean lasts = cohort.seize(hold.line(), hold.self()) || cohort.awaitFollower(hold, patience);
        if (!lasts && hold.isHolding()) {
            throw lock.standstill(
                    "another thread of this process that wants the lock does not go on, look at its threads",
                    request, rank);
        }
        return lasts && hold.releases() && lock.leaveByForce(request, known);
    }
}
