package io.atoll.lock;

import io.atoll.failure.SegmentLostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How ranks agree on who holds a lock. Any thread may use it. */
interface Locking {

    /**
     * What the thread has the lock by; null if its patience is over before.
     *
     * @param index of the lock in its table
     * @param owner in whose segment it lies
     * @param line where it lies among the owner's lines
     * @throws IllegalStateException when this thread holds locks, and gets no descriptor for another one
     * @throws io.atoll.failure.FabricException when the owner is not there, or somebody's next step does not come within the operation timeout; what others rely on is seen to
     */
    @Nullable Claim acquire(long index, int owner, long line, Patience patience);

    /** Releases the lock, unless that has been done: whether it did. Never fails: what cannot be done at once is done as soon as it can. */
    boolean release(Claim claim);

    /**
     * Releases it by force: whoever has the lock next is told that it may have been left half-done, as after a death. False if it was released before.
     *
     * @param patience for another thread of this process to go on that has just asked for the lock
     * @throws io.atoll.failure.FabricException when the owner is not there, or who comes next does not go on; it is held as before
     */
    boolean revoke(Claim claim, Duration patience);

    /** Whether it has not been released, and the lock is not lost. */
    boolean isHeld(Claim claim);

    /** Whether the lock was lost with its owner's segment: another one has its index now. */
    boolean isLost(Claim claim);

    /** What is told whoever releases one that was. */
    SegmentLostException loss(Claim claim);

    /** Gives up the claims by which threads of this process still hold lost locks. By one thread at a time. */
    void leaveLost();

    /** What a thread of this process has the lock by; null if none has. As {@link #acquire}. */
    @Nullable Claim held(long index, int owner, long line);

    /** Releases what threads of this process {@linkplain OwnDescriptor#abandoned could not}. To be called some times a second, by one thread at a time. A look at each descriptor. */
    void sweep();

    /**
     * Frees what a former incarnation of this rank held of a lock of its own. Before anybody uses it.
     *
     * @param line where it lies among the owner's lines
     */
    void restart(long line);
}
