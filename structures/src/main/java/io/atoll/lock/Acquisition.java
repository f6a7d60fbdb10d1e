package io.atoll.lock;

import io.atoll.failure.FabricException;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Request;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lock that is held, until this is closed: by whichever thread. Not bound to the one that acquired it, so that asynchronous code may pass it on.
 *
 * <p>A holder that is cut off from the others, since they take its rank for dead, may still believe that it holds the lock. What a lock guards outside of this world should know
 * the largest {@link #fencingToken} it has seen, and refuse smaller ones.
 */
public final class Acquisition implements AutoCloseable {

    private final Locking locking;
    private final Request request;
    private final AtomicBoolean released = new AtomicBoolean();

    Acquisition(Locking locking, Request request) {
        this.locking = locking;
        this.request = request;
    }

    /** Larger than that of every acquisition of this lock before. */
    public long fencingToken() {
        return request.token();
    }

    /**
     * Whether somebody may have died with the lock since the one before: what it guards may have been left half-done. True once for each death of a holder, or of one that
     * was about to hold it.
     */
    public boolean recovered() {
        return request.recovered();
    }

    /** Which lock of its table. */
    public long index() {
        return request.index();
    }

    /**
     * Releases the lock; does nothing the second time. Cost: A + W in one round trip; one more W if somebody waits. No verb for the owner, unless the next waits at another rank. If the
     * lock's owner cannot be reached, the lock is released as soon as it can.
     */
    @Override
    public void close() {
        if (released.compareAndSet(false, true)) {
            locking.release(request);
        }
    }

    /** False once it is closed, or has been released {@linkplain LockTable#forceUnlock by force}. */
    public boolean isHeld() {
        return !released.get();
    }

    /** Releases it by force: who has the lock next is told. Whether it was held. */
    boolean revoke() {
        if (!released.compareAndSet(false, true)) {
            return false;
        }
        try {
            locking.revoke(request);
        } catch (FabricException unreachable) {
            released.set(false);
            throw unreachable;
        }
        locking.release(request);
        return true;
    }

    @Override
    public String toString() {
        return "Acquisition[lock=" + index() + ", token=" + fencingToken() + "]";
    }
}
