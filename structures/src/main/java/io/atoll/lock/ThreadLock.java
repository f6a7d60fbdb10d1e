package io.atoll.lock;

import io.atoll.memory.StackRoom;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock of a table whose holder is a thread. */
final class ThreadLock implements Lock {

    /** A thread of this process that holds a lock. Only that thread changes this object, or finds itself in it. */
    static final class Owner {

        private final Thread thread = Thread.currentThread();
        private final Acquisition acquisition;
        private int count = 1;

        private Owner(Acquisition acquisition) {
            this.acquisition = acquisition;
        }
    }

    private final LockTable table;
    private final Long index; // an object, so that unlocking makes none
    private final boolean reentrant;
    private final @Nullable Object key;

    /** @param key the key for which the lock is held; null if none is known */
    ThreadLock(LockTable table, long index, boolean reentrant, @Nullable Object key) {
        this.table = table;
        this.index = index;
        this.reentrant = reentrant;
        this.key = key;
    }

    @Override
    public void lock() {
        if (!enterAgain()) {
            take(table.lockUninterruptiblyAt(index));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for a lock: lock=" + index);
        }
        if (!enterAgain()) {
            take(table.lockAt(index));
        }
    }

    @Override
    public boolean tryLock() {
        return enterAgain() || take(table.tryLockAt(index));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for a lock: lock=" + index);
        }
        return enterAgain() || take(table.tryLockAt(index, Duration.ofNanos(Math.max(0, unit.toNanos(time)))));
    }

    private @Nullable Owner own() {
        Owner owner = table.owners().get(index);
        return owner != null && owner.thread == Thread.currentThread() && owner.acquisition.isHeld() ? owner : null;
    }

    private boolean enterAgain() {
        Owner own = own();
        if (own == null) {
            return false;
        }
        if (!reentrant) {
            throw new IllegalMonitorStateException("this thread holds it, and it is not reentrant: lock=" + index);
        }
        own.count++;
        return true;
    }

    private boolean take(@Nullable Acquisition taken) {
        if (taken == null) {
            return false;
        }
        try {
            if (key != null) {
                taken.of(key);
            }
            table.owners().put(index, new Owner(taken));
            return true;
        } catch (Throwable broken) {
            taken.close();
            throw broken;
        }
    }

    /** Unlocks. If the thread's stack is full, it gets a {@link StackOverflowError} and holds the lock as before. */
    @Override
    public void unlock() {
        StackRoom.requireToRelease(); // else the lock might be noted as free without being released
        Owner own = own();
        if (own == null) {
            tellOfLoss();
            throw new IllegalMonitorStateException("this thread does not hold it: lock=" + index);
        }
        if (own.count > 1) {
            own.count--;
            return;
        }
        try {
            table.owners().remove(index, own);
        } finally {
            own.acquisition.close();
        }
    }

    /** Tells a thread, once, that a lock was lost while it held it. */
    private void tellOfLoss() {
        Owner owner = table.owners().get(index);
        if (owner != null && owner.thread == Thread.currentThread()) {
            table.owners().remove(index, owner);
            owner.acquisition.close();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock for all ranks has no conditions: lock=" + index);
    }
}
