package io.atoll.lock;

import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.StackRoom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A held lock. A thread holds it until this object is closed, and any thread may close it. A thread that passes the
 * lock on to another thread calls {@link #detach} first, as asynchronous code does. Without that, the thread's next
 * request for the lock is refused: it would wait for itself.
 *
 * <p>If the other ranks take a rank for dead, they cut it off. Its threads may still believe that they hold the lock.
 * So a resource outside of this world that the lock guards should remember the largest {@link #fencingToken} it has
 * seen. It should refuse smaller ones.
 */
public final class Acquisition implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Acquisition.class);

    final Hold hold;

    Acquisition(Hold hold) {
        this.hold = hold;
    }

    /**
     * Returns the fencing token, from 1. It is larger than that of every earlier acquisition of this lock. This holds
     * even if the lock was lost since then with its owner's segment.
     */
    public long fencingToken() {
        return hold.fencingToken();
    }

    /**
     * Returns true if a holder may have died with the lock since the acquisition before. Then the things that the lock
     * guards may have been left half-done. Each death of a holder, or of a rank that was about to hold the lock, is
     * reported once.
     */
    public boolean recovered() {
        return hold.recovered();
    }

    /** Returns the index of the lock in its table. */
    public long index() {
        return hold.index();
    }

    /**
     * Releases the lock. Does nothing the second time. Cost: A + W in one round trip; one W more if a thread waits for
     * the lock. The owner uses no verb, unless the next waiter is at another rank.
     *
     * <p>This method waits only if another thread of the owner has just come after this one. Then it waits for that
     * thread's next step, no longer than the operation timeout. If that time is over, or the lock's owner cannot be
     * reached, the lock is released as soon as possible.
     *
     * <p>Does nothing in a process that takes part no more: the other ranks see to its locks. If the thread's stack is
     * full, or memory is, the error is thrown and the lock is released soon.
     *
     * @throws FencedException if the lock was lost before because this process was removed from its world: another
     * thread may hold it
     * @throws SegmentLostException if the lock was lost before with its owner's segment. Another thread may hold the
     * lock that has taken its place
     */
    @Override
    public void close() {
        try {
            StackRoom.requireToRelease();
            hold.close();
        } catch (FencedException lost) {
            if (lost.refusal().reason() == Reason.REMOVED) {
                // The process may go on in its next life. Its caller must not go on with what the lock guarded.
                throw lost;
            }
            LOG.debug("a process that takes part no more has nothing to release: {}", hold, lost);
        } catch (Error broken) {
            hold.mine.abandoned = hold; // no call: the stack may be full
            throw broken;
        }
    }

    /**
     * Declares that another thread will close this acquisition. From now on the thread that acquired the lock may ask
     * for it again. It then waits for that other thread. Uses no verb.
     */
    public void detach() {
        hold.detach();
    }

    /**
     * Returns true while the lock is held. Returns false once it is closed, was released
     * {@linkplain LockTable#forceUnlock by force}, or was lost with its owner's segment. Returns false, too, if this
     * process takes part no more.
     */
    public boolean isHeld() {
        try {
            return hold.isHeld();
        } catch (FencedException lost) {
            LOG.debug("a process that takes part no more holds nothing: {}", hold, lost);
            return false;
        }
    }

    /** Notes the key for which the lock is held. Messages name it. */
    Acquisition of(Object key) {
        hold.noteKey(key);
        return this;
    }

    /** As {@link #of(Object)}; allocates nothing. */
    Acquisition of(long key) {
        hold.noteKey(key);
        return this;
    }

    @Override
    public String toString() {
        return "Acquisition[lock=" + index() + ", token=" + fencingToken() + "]";
    }
}
