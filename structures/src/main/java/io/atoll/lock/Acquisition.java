package io.atoll.lock;

import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.StackRoom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock that is held until a thread closes this. Any thread may close it. A thread that passes it on to another one calls {@link #detach} first, as asynchronous code does:
 * a thread that asks for a lock that it holds itself is refused.
 *
 * <p>A holder that is cut off from the others, since they take its rank for dead, may still believe that it holds the lock. What a lock guards outside of this world should know
 * the largest {@link #fencingToken} it has seen, and refuse smaller ones.
 */
public final class Acquisition implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Acquisition.class);

    private final Locking locking;
    final Claim claim;
    private final int born;
    private boolean closed; // whether a caller was told already does not matter to any other thread

    /** @param born in which incarnation of its owner the segment was made in which the lock lies */
    Acquisition(Locking locking, Claim claim, int born) {
        this.locking = locking;
        this.claim = claim;
        this.born = born;
    }

    /** Larger than that of every acquisition of this lock before, also if it was lost since with its owner's segment. From 1. */
    public long fencingToken() {
        return FencingToken.of(born, claim.token());
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
     * lock's owner cannot be reached, the lock is released as soon as it can. Waits for nobody, but if another thread of the owner has just come after this one, for its next step,
     * no longer than the operation timeout; if that is over, the lock is released as soon as it can.
     *
     * <p>Does nothing in a process that takes part no more: others see to its locks. If the thread's stack is full, or memory, the error is thrown, and the lock is released soon.
     *
     * @throws FencedException when the lock was lost before, since this process was removed from its world: another may
     * hold it
     * @throws SegmentLostException when the lock was lost before with its owner's segment: another may hold the one that has taken its place
     */
    @Override
    public void close() {
        try {
            StackRoom.requireToRelease();
            boolean lost = !closed && locking.isLost(claim);
            closed = true;
            locking.release(claim);
            if (lost) {
                throw locking.loss(claim);
            }
        } catch (FencedException lost) {
            if (lost.refusal().reason() == Reason.REMOVED) {
                // The process may go on in its next life, and its caller with what the lock was to guard.
                throw lost;
            }
            LOG.debug("a process that takes part no more has nothing to release: {}", claim, lost);
        } catch (Error broken) {
            claim.mine.abandoned = claim; // no call: the stack may be full
            throw broken;
        }
    }

    /**
     * Declares that another thread is to close this. The thread that acquired the lock may ask for it again from now on, and waits for that other thread. Uses no verb.
     */
    public void detach() {
        claim.detach();
    }

    /** False once it is closed, has been released {@linkplain LockTable#forceUnlock by force}, was lost with its owner's segment, or this process takes part no more. */
    public boolean isHeld() {
        try {
            return locking.isHeld(claim);
        } catch (FencedException lost) {
            LOG.debug("a process that takes part no more holds nothing: {}", claim, lost);
            return false;
        }
    }

    /** Notes which key it is held for, for messages. */
    Acquisition of(Object key) {
        claim.noteKey(key);
        return this;
    }

    /** As {@link #of(Object)}; allocates nothing. */
    Acquisition of(long key) {
        claim.noteKey(key);
        return this;
    }

    @Override
    public String toString() {
        return "Acquisition[lock=" + index() + ", token=" + fencingToken() + "]";
    }
}
