package io.atoll.lock;

import org.jspecify.annotations.Nullable;

/** The way in which ranks agree on the holder of a lock. Any thread may use it. */
interface LockProtocol {

    /**
     * Returns the short way by which the owner's threads acquire its locks. Returns null if they go the same way as all
     * others.
     */
    @Nullable LocalFastPath localFastPath();

    /**
     * Acquires a lock, unless there is a {@linkplain #localFastPath short way} for this rank. Returns the hold by which
     * the thread has it; null if the limit is reached before.
     *
     * @param index of the lock in its table
     * @param owner the rank whose segment holds the lock
     * @param line the offset of the lock among the owner's lines
     * @throws IllegalStateException if this thread holds locks, and gets no descriptor for another one
     * @throws io.atoll.failure.FabricException if the owner cannot be reached, or another thread's next step does not
     * come within the operation timeout. Everything on which others rely is finished all the same
     */
    @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit);
}
