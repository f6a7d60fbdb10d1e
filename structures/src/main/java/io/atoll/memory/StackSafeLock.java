package io.atoll.memory;

import java.io.Serial;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock for the threads of this process that no full stack leaves locked. Each way to acquire it asks for room on the
 * stack first, see {@link StackRoom#requireToLock}. So a {@link StackOverflowError} comes while the lock is untouched.
 * A thread that has acquired it has room to release it in the same method. Without that, the error may come between two
 * steps of the acquisition, or instead of the release. Then no thread could acquire the lock again.
 *
 * <p>A monitor, as of {@code synchronized}, needs none of this: its release is no call.
 */
public final class StackSafeLock extends ReentrantLock {

    @Serial
    private static final long serialVersionUID = 1L;

    public StackSafeLock() {
        this(false);
    }

    /** @param fair true if threads acquire it in the order in which they came, except for attempts that do not wait */
    public StackSafeLock(boolean fair) {
        super(fair);
    }

    /** @throws StackOverflowError if there is too little room; the lock is as before */
    @Override
    public void lock() {
        StackRoom.requireToLock();
        super.lock();
    }

    /** @throws StackOverflowError as {@link #lock} */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        StackRoom.requireToLock();
        super.lockInterruptibly();
    }

    /** @throws StackOverflowError as {@link #lock} */
    @Override
    public boolean tryLock() {
        StackRoom.requireToLock();
        return super.tryLock();
    }

    /** @throws StackOverflowError as {@link #lock} */
    @Override
    public boolean tryLock(long timeout, TimeUnit unit) throws InterruptedException {
        StackRoom.requireToLock();
        return super.tryLock(timeout, unit);
    }
}
