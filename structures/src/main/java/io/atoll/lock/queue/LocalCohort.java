package io.atoll.lock.queue;

import io.atoll.lock.request.Descriptors;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.Tail;

/** The owner's threads, which reach the lock by the CPU. No verb. */
class LocalCohort extends Cohort {

    LocalCohort(Descriptors descriptors, int budget) {
        super(descriptors, budget);
    }

    /** Frees the lock if a former incarnation had it, or competed for it. */
    final void restart(long line, int incarnation) {
        long tail = own.getAcquire(line + LockLine.LOCAL_TAIL);
        if (tail != Tail.FREE && Tail.incarnation(tail) != incarnation) {
            own.setRelease(line + LockLine.RESTARTS, own.getAcquire(line + LockLine.RESTARTS) + 1);
            own.setVolatile(line + LockLine.LOCAL_TAIL, Tail.FREE);
        }
    }

    @Override
    long exchangeTail(QueuedRequest request, long expected, long value) {
        return own.compareAndExchange(request.line() + LockLine.LOCAL_TAIL, expected, value);
    }

    @Override
    final long tail(QueuedRequest request) {
        return own.getAcquire(request.line() + LockLine.LOCAL_TAIL);
    }

    @Override
    boolean yield(QueuedRequest request) {
        writeVictim(request);
        // (2) a full fence between the victim and the look at the other tail, which a load would overtake: pairs with the order of the remote leader's batch (1).
        fence();
        return look(request);
    }

    void writeVictim(QueuedRequest request) {
        own.setRelease(request.line() + LockLine.VICTIM, LockLine.LOCAL);
    }

    void fence() {
        own.fullFence();
    }

    @Override
    boolean look(QueuedRequest request) {
        long line = request.line();
        if (own.getAcquire(line + LockLine.REMOTE_TAIL) != Tail.FREE
                && own.getAcquire(line + LockLine.VICTIM) == LockLine.LOCAL) {
            return false;
        }
        long died = own.getAcquire(line + LockLine.RECOVERIES) + own.getAcquire(line + LockLine.RESTARTS);
        takeToken(request, own.getAcquire(line + LockLine.TOKEN), died, own.getAcquire(line + LockLine.ACKNOWLEDGED));
        return true;
    }

    @Override
    long release(QueuedRequest request) {
        if (request.entered) {
            own.setRelease(request.line() + LockLine.TOKEN, request.token);
            if (request.recovered) {
                own.setRelease(request.line() + LockLine.ACKNOWLEDGED, request.died);
            }
        }
        return exchangeTail(request, request.self, Tail.FREE);
    }

    @Override
    final long acknowledged(QueuedRequest request) {
        return own.getAcquire(request.line() + LockLine.ACKNOWLEDGED);
    }
}
