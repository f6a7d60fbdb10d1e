package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.memory.LocalMemory;
import java.time.Duration;

/** The owner's threads, which reach the lock by the CPU. They use no verb. */
class LocalCohort extends Cohort {

    private final Clock clock;

    LocalCohort(Descriptors descriptors, int budget) {
        super(descriptors, budget);
        this.clock = descriptors.clock();
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
    final boolean isByCpu() {
        return true;
    }

    @Override
    final boolean executesAtOnce(QueuedHold request) {
        return true;
    }

    @Override
    long exchangeTail(QueuedHold request, long expected, long value) {
        return own.compareAndExchange(request.line() + LockLine.LOCAL_TAIL, expected, value);
    }

    @Override
    final long tail(QueuedHold request) {
        return own.getAcquire(request.line() + LockLine.LOCAL_TAIL);
    }

    // --- while no other thread wants the lock ---

    /**
     * (swap) Returns {@link Tail#FREE} if the queue was empty. The descriptor then leads the queue; else it does not
     * stand there.
     */
    static long swap(LocalMemory own, long line, long self) {
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, Tail.FREE, self);
    }

    /**
     * (lead, alone) Returns true if three things hold. The descriptor leads its queue. The other cohort has no thread
     * there. Later holders know of every death of a holder.
     *
     * @param witness the result of {@link #swap}
     */
    static boolean isAlone(LocalMemory own, long line, long witness) {
        long other = own.getVolatile(line + LockLine.REMOTE_TAIL); // (2) as in compete
        long died = own.get(line + LockLine.RECOVERIES) + own.get(line + LockLine.RESTARTS)
                - own.get(line + LockLine.ACKNOWLEDGED);
        return (witness | other | died) == Tail.FREE; // one branch for all
    }

    /** (enter) Takes the next token for the new holder, and returns it. */
    static long enter(LocalMemory own, long line) {
        long token = own.get(line + LockLine.TOKEN) + 1;
        own.set(line + LockLine.TOKEN, token); // released with the phase, which tells others that the token is there
        return token;
    }

    /**
     * (release) Returns true if no request stands behind the descriptor; then it has left the queue. One of all threads
     * that try succeeds. The tail names the turn, and a turn leaves once. No request has a name of that kind, nor does
     * a descriptor that stands behind another one.
     */
    boolean leave(LocalMemory own, long line, long self) {
        // (4) Releases what the holder did with the lock, including the token. It pairs with a thread of either cohort
        // that finds the tail free.
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, self, Tail.FREE) == self;
    }

    /**
     * (seize) Returns true if the descriptor now stands in the tail by another name. No thread can {@link #leave} in
     * its place then. Returns false if it has left, or a request stands behind it.
     */
    boolean seize(long line, long self) {
        return own.compareAndExchange(line + LockLine.LOCAL_TAIL, self, Tail.ofNextTurn(self)) == self;
    }

    /**
     * (behind) Waits until a successor has linked itself, and returns true. Returns false if another thread releases
     * this hold first, or the wait limit is over. A failed exchange of the tail does not tell which of the two has
     * happened: a release, or a new successor. Both announce themselves soon: a release ends the turn, a successor
     * writes the link.
     *
     * <p>Between its exchange and its link the successor waits for no other thread. It is a thread of this process, so
     * it dies only with this process. Yet something may hold it up, a debugger for example.
     */
    boolean awaitFollower(LocalHold hold, Duration patience) {
        var backoff = new Backoff(clock, patience);
        while (hold.isHolding()) {
            if (isFollowed(hold)) {
                return true;
            }
            if (!backoff.pause()) {
                return false;
            }
        }
        return false;
    }

    /** Returns true if a successor has linked itself behind the hold. */
    static boolean isFollowed(LocalHold hold) {
        long next = hold.next();
        return next != Tail.FREE && Tail.isOfSameEpoch(next, hold.self());
    }

    /** Returns the token of a holder that has the lock in this way. */
    final long token(long line) {
        return own.getAcquire(line + LockLine.TOKEN);
    }

    // --- competing with the other cohort ---

    @Override
    final boolean yield(QueuedHold request) {
        return compete(request.line()) && takeToken(request);
    }

    @Override
    final boolean look(QueuedHold request) {
        return mayEnter(request.line()) && takeToken(request);
    }

    @Override
    final long otherTail(QueuedHold request) {
        return own.getAcquire(request.line() + LockLine.REMOTE_TAIL);
    }

    /** (alone, yield, look) */
    boolean compete(long line) {
        // (2) volatile, like the exchange of this tail before it. If the other cohort has no thread there, its next
        // leader's exchange comes later. So do that leader's victim and its look at this tail. Then no thread of this
        // cohort need be the victim. The read also sees what the other cohort's last holder has left.
        if (own.getVolatile(line + LockLine.REMOTE_TAIL) == Tail.FREE) {
            return true;
        }
        writeVictim(line);
        // (2) A full fence between the victim and the look at the other tail: a load could overtake the write. Pairs
        // with the order of the remote leader's batch (1).
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

    private boolean takeToken(QueuedHold request) {
        long line = request.line();
        long died = own.getAcquire(line + LockLine.RECOVERIES) + own.getAcquire(line + LockLine.RESTARTS);
        request.takeToken(own.getAcquire(line + LockLine.TOKEN), died, own.getAcquire(line + LockLine.ACKNOWLEDGED));
        return true;
    }

    @Override
    long release(QueuedHold request) {
        if (request.entered) {
            own.setRelease(request.line() + LockLine.TOKEN, request.token);
            if (request.recovered) {
                own.setRelease(request.line() + LockLine.ACKNOWLEDGED, request.died);
            }
        }
        return exchangeTail(request, request.self, Tail.FREE);
    }

    @Override
    final long acknowledged(QueuedHold request) {
        return own.getAcquire(request.line() + LockLine.ACKNOWLEDGED);
    }
}
