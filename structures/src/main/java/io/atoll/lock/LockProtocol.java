package io.atoll.lock;

import io.atoll.failure.SegmentLostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The way in which ranks agree on the holder of a lock. Any thread may use it. */
interface LockProtocol {

    /**
     * Acquires a lock. Returns the hold by which the thread has it; null if the patience is over before.
     *
     * @param index of the lock in its table
     * @param owner the rank whose segment holds the lock
     * @param line the offset of the lock among the owner's lines
     * @throws IllegalStateException if this thread holds locks, and gets no descriptor for another one
     * @throws io.atoll.failure.FabricException if the owner cannot be reached, or another thread's next step does not
     * come within the operation timeout. Everything on which others rely is finished all the same
     */
    @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit);

    /**
     * Releases the lock. Returns true if this call did it, false if it was released before. Never fails: what cannot be
     * done at once is done as soon as possible.
     */
    boolean release(Hold hold);

    /**
     * Releases the lock by force. The next holder is told that what the lock guards may have been left half-done, as
     * after a death. Returns false if the lock was released before.
     *
     * @param patience the longest wait for another thread of this process that has just asked for the lock
     * @throws io.atoll.failure.FabricException if the owner cannot be reached, or the next thread does not go on. The
     * lock is held as before
     */
    boolean revoke(Hold hold, Duration patience);

    /** Returns true if the hold's lock has not been released and is not lost. */
    boolean isHeld(Hold hold);

    /** Returns true if the lock was lost with its owner's segment. Another lock has its index now. */
    boolean isLost(Hold hold);

    /** Returns the exception for a caller that releases a lost lock. */
    SegmentLostException loss(Hold hold);

    /** Gives up the holds by which threads of this process still hold lost locks. Called by one thread at a time. */
    void leaveLost();

    /**
     * Returns the hold by which a thread of this process has the lock; null if none has it. Parameters as in
     * {@link #acquire}.
     */
    @Nullable Hold held(long index, int owner, long line);

    /**
     * Releases the locks that threads of this process {@linkplain OwnDescriptor#abandoned could not} release. Called
     * some times a second, by one thread at a time. Looks at each descriptor.
     */
    void sweep();

    /**
     * Frees a lock of this rank that a former incarnation held. Called before any thread uses the lock.
     *
     * @param line the offset of the lock among the owner's lines
     */
    void restart(long line);
}
