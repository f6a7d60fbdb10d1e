package io.atoll.lock;

import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Locking;

/**
 * A lock that is held, until this is closed: by whichever thread. Not bound to the one that acquired it, so that asynchronous code may pass it on.
 *
 * <p>A holder that is cut off from the others, since they take its rank for dead, may still believe that it holds the lock. What a lock guards outside of this world should know
 * the largest {@link #fencingToken} it has seen, and refuse smaller ones.
 */
public final class Acquisition implements AutoCloseable {

    private final Locking locking;
    private final Claim claim;

    Acquisition(Locking locking, Claim claim) {
        this.locking = locking;
        this.claim = claim;
    }

    /** Larger than that of every acquisition of this lock before. */
    public long fencingToken() {
        return claim.token();
    }

    /**
     * Whether somebody may have died with the lock since the one before: what it guards may have been left half-done. True once for each death of a holder, or of one that
     * was about to hold it.
     */
    public boolean recovered() {
        return claim.recovered();
    }

    /** Which lock of its table. */
    public long index() {
        return claim.index();
    }

    /**
     * Releases the lock; does nothing the second time. Cost: A + W in one round trip; one more W if somebody waits. No verb for the owner, unless the next waits at another rank. If the
     * lock's owner cannot be reached, the lock is released as soon as it can. Waits for nobody, but if another thread of the owner has just come after this one, for its next step.
     */
    @Override
    public void close() {
        locking.release(claim);
    }

    /** False once it is closed, or has been released {@linkplain LockTable#forceUnlock by force}. */
    public boolean isHeld() {
        return locking.isHeld(claim);
    }

    @Override
    public String toString() {
        return "Acquisition[lock=" + index() + ", token=" + fencingToken() + "]";
    }
}
