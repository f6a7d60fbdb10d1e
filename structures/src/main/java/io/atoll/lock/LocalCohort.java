package io.atoll.lock;

import io.atoll.memory.LocalMemory;

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
    final boolean executesAtOnce(QueuedRequest request) {
        return true;
    }

    @Override
    long exchangeTail(QueuedRequest request, long expected, long value) {
        return own.compareAndExchange(request.line() + LockLine.LOCAL_TAIL, expected, value);
    }

    @Override
    final long tail(QueuedRequest request) {
        return own.getAcquire(request.line() + LockLine.LOCAL_TAIL);
    }

    // --- for whom nobody waits ---

    /** (swap) Returns {@link Tail#FREE} if it leads its queue now, which was empty; else it does not stand there. */
    static long swap(LocalMemory own, long line, long self) {
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, Tail.FREE, self);
    }

    /**
     * (lead, alone) Whether it leads its queue, the other cohort is not there, and no holder has died of whom nobody has been told.
     *
     * @param witness of {@link #swap}
     */
    static boolean isAlone(LocalMemory own, long line, long witness) {
        long other = own.getVolatile(line + LockLine.REMOTE_TAIL); // (2) as in compete
        long died = own.get(line + LockLine.RECOVERIES) + own.get(line + LockLine.RESTARTS)
                - own.get(line + LockLine.ACKNOWLEDGED);
        return (witness | other | died) == Tail.FREE; // one branch for all
    }

    /** (enter) The token of who has the lock now. */
    static long enter(LocalMemory own, long line) {
        long token = own.get(line + LockLine.TOKEN) + 1;
        own.set(line + LockLine.TOKEN, token); // released with the phase, which says that it stands there
        return token;
    }

    /**
     * (release) Returns if nobody stands behind it: it has left then. One of all threads that try does: the tail names
     * the turn, which leaves once. No request, and nobody who stands behind another one, has a name of that kind.
     */
    boolean leave(LocalMemory own, long line, long self) {
        // (4) releases what its holder did with the lock, the token among it, to whoever finds the tail free, of either cohort.
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, self, Tail.FREE) == self;
    }

    /** (seize) Whether it stands there by another name now, so that no thread can {@link #leave} in its place; else it has left, or somebody stands behind it. */
    boolean seize(long line, long self) {
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, self, Tail.ofNextTurn(self)) == self;
    }

    /** Of who has the lock in this way. */
    final long token(long line) {
        return own.getAcquire(line + LockLine.TOKEN);
    }

    // --- competing with the other cohort ---

    @Override
    final boolean yield(QueuedRequest request) {
        return compete(request.line()) && takeToken(request);
    }

    @Override
    final boolean look(QueuedRequest request) {
        return mayEnter(request.line()) && takeToken(request);
    }

    @Override
    final long otherTail(QueuedRequest request) {
        return own.getAcquire(request.line() + LockLine.REMOTE_TAIL);
    }

    /** (alone, yield, look) */
    boolean compete(long line) {
        // (2) volatile, as the exchange of this tail before it: if nobody of the other cohort is there, its next leader's exchange comes later, so do its victim and its look at this
        // tail, and nobody here need be the victim. And what the other cohort's last holder has left is seen.
        if (own.getVolatile(line + LockLine.REMOTE_TAIL) == Tail.FREE) {
            return true;
        }
        writeVictim(line);
        // (2) a full fence between the victim and the look at the other tail, which a load would overtake: pairs with the order of the remote leader's batch (1).
        fence();
        return mayEnter(line);
    }

    void writeVictim(long line) {
        own.setRelease(line + LockLine.VICTIM, LockLine.LOCAL);
    }

    void fence() {
        own.fullFence();
    }

    private boolean mayEnter(long line) {
        return own.getAcquire(line + LockLine.REMOTE_TAIL) == Tail.FREE
                || own.getAcquire(line + LockLine.VICTIM) != LockLine.LOCAL;
    }

    private boolean takeToken(QueuedRequest request) {
        long line = request.line();
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
