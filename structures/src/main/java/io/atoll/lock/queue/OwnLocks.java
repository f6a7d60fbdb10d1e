package io.atoll.lock.queue;

import io.atoll.lock.queue.QueuedRequest.Stage;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Patience;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.Tail;
import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/**
 * Locks of the own segment, for its owner's threads. Who finds one free makes no request of it: it stands in the tail by its descriptor and turn, and that is all ({@link OwnClaim}). Only when
 * it has to wait, somebody waits for it, or force is used, it becomes a request like others, of the same descriptor.
 *
 * <p>Behind each locked instruction HotSpot loads all fields anew, and asks again of what class the memory is. So that is handed on, and each line is {@linkplain LocalMemory#line known} to lie in
 * it before it is used.
 */
public final class OwnLocks {

    private final Descriptors descriptors;
    private final LocalCohort cohort;
    private final QueueLock lock;
    private final int rank;

    OwnLocks(Descriptors descriptors, LocalCohort cohort, QueueLock lock) {
        this.descriptors = descriptors;
        this.cohort = cohort;
        this.lock = lock;
        this.rank = descriptors.endpoint().rank();
    }

    /**
     * As {@link QueueLock#acquire}.
     *
     * @param own this process's
     * @param line where the lock lies there, as it is known
     */
    public @Nullable Claim acquire(LocalMemory own, long index, long line, Patience patience) {
        long lock = Descriptor.lock(rank, line);
        long claimed = descriptors.claimAtOnce(own, lock);
        return claimed == Descriptors.NONE
                ? enter(own, index, line, descriptors.claim(lock), patience)
                : enter(own, index, line, claimed, patience);
    }

    private @Nullable Claim enter(LocalMemory own, long index, long line, long claimed, Patience patience) {
        LocalCohort cohort = this.cohort;
        long descriptor = descriptors.at(own, Descriptors.index(claimed));
        long self = self(claimed);
        if (!cohort.leads(own, line, self)) {
            return lock.acquire(new QueuedRequest(descriptors, index, rank, line, claimed, cohort), patience);
        }
        if (!cohort.isFree(own, line)) {
            return lock.acquire(leading(index, line, claimed, self), patience);
        }
        long token = cohort.enter(own, line);
        Descriptors.holds(own, descriptor, claimed);
        return new OwnClaim(own, descriptor, index, claimed, line, self, token);
    }

    /** As an owner's thread that finds its lock free stands in the tail. */
    private long self(long claimed) {
        return Tail.inTurn(Descriptors.turn(claimed), descriptors.name(Descriptors.index(claimed)));
    }

    /** First in its queue, and has let the other cohort go first. */
    private QueuedRequest leading(long index, long line, long claimed, long self) {
        var request = new QueuedRequest(descriptors, index, rank, line, claimed, cohort);
        request.self = self;
        request.stage = Stage.LEADING;
        request.yielded = true;
        return request;
    }

    /** Somebody waits for it by now, or force is used. */
    QueuedRequest request(OwnClaim claim) {
        QueuedRequest request = leading(claim.index(), claim.line(), claim.claimed(), claim.self());
        request.entered = true;
        request.token = claim.token();
        request.budget = cohort.budget();
        return request;
    }

    /** What a thread has a lock by that has left no request behind. */
    OwnClaim held(LocalMemory own, long index, long line, long claimed) {
        return new OwnClaim(own, descriptors.at(own, Descriptors.index(claimed)), index, claimed, line, self(claimed),
                cohort.token(line));
    }

    boolean leave(OwnClaim claim) {
        return cohort.leave(claim.own(), claim.line(), claim.self());
    }

    boolean seize(OwnClaim claim) {
        return cohort.seize(claim.line(), claim.self());
    }
}
