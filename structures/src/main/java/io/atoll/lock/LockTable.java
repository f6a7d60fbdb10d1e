package io.atoll.lock;

import io.atoll.codec.VariableCodecs;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table of locks that are spread evenly over the ranks (ALock, section 6: the distributed lock table). A caller
 * chooses a lock by its index, or by a key that it guards. Several keys share a lock.
 * <pre>{@code
 * try (Acquisition held = accounts.lock(order.account())) {
 *     ledger.append(held.fencingToken(), order);
 * }
 * }</pre>
 *
 * <p>Waiters stand in a queue, and each waits for a word in its own segment. A lock has two cohorts: its owner's
 * threads and all others. They take turns as their budgets say, so no thread starves. If the rank of a holder or waiter
 * dies, it is removed as soon as its death is proven. The next holder {@linkplain Acquisition#recovered() is told}.
 *
 * <p>The lock is never granted to two threads at a time. The only exception is a thread whose rank is taken for dead
 * and which does not know it yet: see {@link Acquisition}. If a rank loses its segment, the locks there are free again
 * and have larger tokens. Releasing a lock that was held at that time throws a
 * {@link io.atoll.failure.SegmentLostException}.
 *
 * <p>Locks are not reentrant. A thread that would wait for a lock that it holds gets an
 * {@link IllegalMonitorStateException} instead. Two keys may mean the same lock, so a caller that needs several at once
 * uses {@link #lockAll}. {@link #asLock} returns a view that is reentrant.
 *
 * <p>The costs given here are those of an uncontended lock. An owner's thread that acquires or releases its own lock
 * uses no verb, on any fabric.
 */
public final class LockTable {

    /** The default {@linkplain Builder#localBudget local budget}. */
    public static final int LOCAL_BUDGET = 5;

    /** The default {@linkplain Builder#remoteBudget remote budget}. */
    public static final int REMOTE_BUDGET = 20;

    private final String name;
    private final long locks;
    private final Handle<OpenLockTable> handle;

    private LockTable(String name, long locks, Handle<OpenLockTable> handle) {
        this.name = name;
        this.locks = locks;
        this.handle = handle;
    }

    /** Begins to open the table of this name. */
    public static Builder builder(String name, Supplier<Participant> participant) {
        return new Builder(name, participant);
    }

    public String name() {
        return name;
    }

    /** Returns the number of locks. */
    public long locks() {
        return locks;
    }

    /** Returns the rank whose segment holds the lock. */
    public int owner(long index) {
        return handle.opened().layout().owner(checkIndex(index));
    }

    /**
     * Returns the index of the lock that guards the key, the same at all ranks of the world. Uses no verb once the
     * table is open.
     */
    public long indexOf(long key) {
        return Long.remainderUnsigned(handle.opened().hashing().of(key), locks);
    }

    /**
     * As {@link #indexOf(long)}.
     *
     * @param key a text, a UUID, a record, or any other value that has a codec, see {@link VariableCodecs}
     * @throws IllegalArgumentException if the key has no codec
     */
    @SuppressWarnings("unchecked") // the codec of a key's class encodes it
    public long indexOf(Object key) {
        Objects.requireNonNull(key, "key");
        if (key instanceof Long number) {
            return indexOf(number.longValue());
        }
        var codec = VariableCodecs.forType((Class<Object>) key.getClass());
        return Long.remainderUnsigned(handle.opened().hashing().of(codec.encode(key)), locks);
    }

    /** Acquires the lock that guards the key. As {@link #lockAt}. */
    public Acquisition lock(long key) throws InterruptedException {
        long index = indexOf(key);
        return unlessInterrupted(acquireFor(index, key, WaitLimit.UNBOUNDED), index);
    }

    /** Acquires the lock that guards the key. As {@link #lockAt}. */
    public Acquisition lock(Object key) throws InterruptedException {
        long index = indexOf(key);
        return unlessInterrupted(acquireFor(index, key, WaitLimit.UNBOUNDED), index);
    }

    /** Acquires the lock that guards the key if it is free, else returns null. As {@link #tryLockAt(long)}. */
    public @Nullable Acquisition tryLock(long key) {
        return acquireFor(indexOf(key), key, WaitLimit.NONE);
    }

    /** Acquires the lock that guards the key if it is free, else returns null. As {@link #tryLockAt(long)}. */
    public @Nullable Acquisition tryLock(Object key) {
        return acquireFor(indexOf(key), key, WaitLimit.NONE);
    }

    /**
     * Acquires the lock that guards the key, or returns null when the time is over. As
     * {@link #tryLockAt(long, Duration)}.
     */
    public @Nullable Acquisition tryLock(long key, Duration timeout) throws InterruptedException {
        long index = indexOf(key);
        return refuseIfInterrupted(acquireFor(index, key, limit(timeout)), index);
    }

    /**
     * Acquires the lock that guards the key, or returns null when the time is over. As
     * {@link #tryLockAt(long, Duration)}.
     */
    public @Nullable Acquisition tryLock(Object key, Duration timeout) throws InterruptedException {
        long index = indexOf(key);
        return refuseIfInterrupted(acquireFor(index, key, limit(timeout)), index);
    }

    /**
     * Waits for the lock as long as it takes. If all of this rank's descriptors are in use, the thread waits first
     * until another thread gives one back. Cost: A + R + W in two round trips. The lock's owner uses no verb.
     *
     * @throws InterruptedException if the thread was interrupted. It waits no more
     * @throws IllegalMonitorStateException if this thread holds the lock
     * @throws IllegalStateException if this thread holds locks of this table, and gets no further descriptor within the
     * operation timeout
     * @throws io.atoll.failure.RankUnreachableException if the owner cannot be reached
     * @throws io.atoll.failure.FabricTimeoutException if the removal of a dead rank from the lock's queue does not end
     * within the operation timeout
     */
    public Acquisition lockAt(long index) throws InterruptedException {
        return unlessInterrupted(acquire(handle.use(), index, WaitLimit.UNBOUNDED), index);
    }

    /** As {@link #lockAt}, but an interrupt does not end the wait. */
    public Acquisition lockUninterruptiblyAt(long index) {
        return Objects.requireNonNull(acquire(handle.use(), index, WaitLimit.UNINTERRUPTIBLE));
    }

    /**
     * Acquires the lock if it is free, else returns null. Also returns null if all of this rank's descriptors are in
     * use. If several threads try at the same time to have a free lock, one of them gets it.
     *
     * <p>The thread waits for no holder. If it meets another thread in the middle of trying, it waits for that thread's
     * next step. This wait is no longer than the operation timeout.
     *
     * <p>Cost: as {@link #lockAt}. 3 R to 7 R more for each look at another thread that tries, or has the lock. 4 R
     * more for each thread that has waited in vain and whose turn has not come yet.
     *
     * @throws io.atoll.failure.RankUnreachableException if the owner cannot be reached
     */
    public @Nullable Acquisition tryLockAt(long index) {
        return acquire(handle.use(), index, WaitLimit.NONE);
    }

    /**
     * As {@link #lockAt}, but waits no longer than the timeout, and then returns null. After a wait in vain the queue
     * keeps the thread's place. It does so until the place's turn has passed, or until another thread of this rank
     * waits there.
     */
    public @Nullable Acquisition tryLockAt(long index, Duration timeout) throws InterruptedException {
        return refuseIfInterrupted(acquire(handle.use(), index, limit(timeout)), index);
    }

    private WaitLimit limit(Duration timeout) {
        return WaitLimit.of(handle.opened().clock(), timeout);
    }

    private @Nullable Acquisition acquire(OpenLockTable opened, long index, WaitLimit limit) {
        try {
            return opened.acquire(checkIndex(index), limit);
        } catch (HeldByThisThread held) {
            throw held.of(name, null);
        }
    }

    private @Nullable Acquisition acquireFor(long index, long key, WaitLimit limit) {
        try {
            Acquisition acquired = handle.use().acquire(index, limit);
            return acquired == null ? null : acquired.of(key);
        } catch (HeldByThisThread held) {
            throw held.of(name, key);
        }
    }

    private @Nullable Acquisition acquireFor(long index, Object key, WaitLimit limit) {
        try {
            Acquisition acquired = handle.use().acquire(index, limit);
            return acquired == null ? null : acquired.of(key);
        } catch (HeldByThisThread held) {
            throw held.of(name, key);
        }
    }

    /** Returns the acquisition of a thread that waited without a limit. Null means that the thread was interrupted. */
    private Acquisition unlessInterrupted(@Nullable Acquisition acquired, long index) throws InterruptedException {
        if (acquired == null) {
            Thread.interrupted();
            throw interruption(index);
        }
        return acquired;
    }

    private @Nullable Acquisition refuseIfInterrupted(@Nullable Acquisition acquired, long index)
            throws InterruptedException {
        if (acquired == null && Thread.interrupted()) {
            throw interruption(index);
        }
        return acquired;
    }

    private InterruptedException interruption(long index) {
        return new InterruptedException("interrupted while waiting for a lock: table=" + name + " lock=" + index);
    }

    private long checkIndex(long index) {
        if (Long.compareUnsigned(index, locks) >= 0) {
            throw new IllegalArgumentException("from 0 to " + (locks - 1) + ": table=" + name + " lock=" + index);
        }
        return index;
    }

    /**
     * Acquires the locks that guard the keys, each once, in the order of their indices. So several threads that do the
     * same never wait for each other in a circle.
     *
     * @throws InterruptedException if the thread was interrupted. None of the locks is held then
     */
    public Acquisitions lockAll(Collection<?> keys) throws InterruptedException {
        return lockAllAt(keys.stream().mapToLong(this::indexOf).toArray());
    }

    /** As {@link #lockAll}. */
    public Acquisitions lockAllAt(long... indices) throws InterruptedException {
        long[] inOrder = Arrays.stream(indices).sorted().distinct().toArray();
        var acquired = new Acquisitions(inOrder.length);
        try {
            for (long index : inOrder) {
                acquired.add(lockAt(index));
            }
            return acquired;
        } catch (InterruptedException | RuntimeException | Error failure) {
            acquired.close();
            throw failure;
        }
    }

    /**
     * Returns the lock that guards the key as a {@code java.util.concurrent} lock. The holder is a thread, which may
     * acquire the lock again. Only that thread may unlock it, by any such view of this process. Conditions are not
     * supported. Uses no verb.
     */
    public Lock asLock(long key) {
        return new ThreadLock(this, indexOf(key), true, key);
    }

    /** As {@link #asLock(long)}. */
    public Lock asLock(Object key) {
        return new ThreadLock(this, indexOf(key), true, key);
    }

    /**
     * As {@link #asLock(long)}, for the lock of that index. A thread may acquire it again only if it is
     * {@code reentrant}.
     */
    public Lock asLockAt(long index, boolean reentrant) {
        return new ThreadLock(this, checkIndex(index), reentrant, null);
    }

    /** Returns the owners of thread locks by index of the lock. Each life of this process has its own. */
    ConcurrentMap<Long, ThreadLock.Owner> owners() {
        return handle.opened().owners();
    }

    // --- for operators ---

    /**
     * Takes the lock from the thread of this process that holds it. This is for an operator who knows that the lock
     * will not be released. The next holder is {@linkplain Acquisition#recovered() told}, and may find what the lock
     * guards half-done.
     *
     * <p>The former holder's {@link Acquisition#isHeld} returns false. A guarded resource can recognise it by its
     * {@linkplain Acquisition#fencingToken() token}. To end a hold of another process, use
     * {@link io.atoll.Inspection#forceUnlock}.
     *
     * @return false if no thread holds the lock
     * @throws IllegalStateException if a thread of another rank holds the lock
     * @throws io.atoll.failure.RankUnreachableException if the owner, or a rank that may hold the lock, cannot be
     * reached
     * @throws io.atoll.failure.FabricTimeoutException if another thread of this process has just asked for the lock,
     * and stands still for the operation timeout. The lock is held as before
     */
    public boolean forceUnlock(long index) {
        OpenLockTable opened = handle.opened();
        if (opened.forceUnlock(checkIndex(index))) {
            return true;
        }
        opened.view().holder(index).filter(holder -> holder.rank() != opened.self().rank()).ifPresent(holder -> {
            throw new IllegalStateException(
                    "rank " + holder.rank() + " holds the lock: use Inspection.forceUnlock, or end its process: table="
                            + name
                            + " lock=" + index + " thread=" + holder.thread() + " rank=" + holder.rank());
        });
        return false;
    }

    /**
     * Returns the holder, the waiters and the counts of the lock. Cost at each rank: 4R, and R for each 512
     * descriptors. Cost for the lock: R, and 2R for each thread that holds it or waits.
     */
    public LockState state(long index) {
        return handle.opened().view().look(checkIndex(index));
    }

    /**
     * Returns the locks with the longest waits, summed over all threads, the hottest first. Cost at each rank: R for
     * each 512 locks and R for each 512 descriptors. Cost for each returned lock: as {@link #state}.
     */
    public List<LockState> hottest(int most) {
        return handle.opened().view().hottest(most);
    }

    @Override
    public String toString() {
        return "LockTable[" + name + "]";
    }

    /** The options of a table. Every rank that opens the table must choose the same. */
    public static final class Builder extends StructureBuilder<LockTable, Builder> {

        private long locks = 1024;
        private LockAlgorithm algorithm = LockAlgorithm.ALOCK;
        private int localBudget = LOCAL_BUDGET;
        private int remoteBudget = REMOTE_BUDGET;
        private int descriptors = 256;
        private boolean counted = true;

        private Builder(String name, Supplier<Participant> participant) {
            super(name, participant);
        }

        /** Sets the number of locks, over all ranks. Defaults to 1,024. */
        public Builder locks(long count) {
            this.locks = count;
            return this;
        }

        /** Sets the algorithm. Defaults to {@link LockAlgorithm#ALOCK}. */
        public Builder algorithm(LockAlgorithm algorithm) {
            this.algorithm = algorithm;
            return this;
        }

        /**
         * Sets how often in a row the owner's threads may have a lock while others want it. From 1 to 255, defaults to
         * {@value LockTable#LOCAL_BUDGET} (ALock, section 6.1).
         */
        public Builder localBudget(int acquisitions) {
            this.localBudget = acquisitions;
            return this;
        }

        /**
         * Sets how often in a row other ranks' threads may have a lock while its owner wants it. From 1 to 255,
         * defaults to {@value LockTable#REMOTE_BUDGET} (ALock, section 6.1).
         */
        public Builder remoteBudget(int acquisitions) {
            this.remoteBudget = acquisitions;
            return this;
        }

        /**
         * Sets how many locks of this table the threads of a rank hold or await at the same time. Further threads wait
         * until one is released. If there are 64 or more, five of eight are set aside for threads that hold a lock
         * already. Defaults to 256; at most 65,472.
         */
        public Builder descriptors(int count) {
            this.descriptors = count;
            return this;
        }

        /**
         * Sets whether the table counts how often each lock is wanted and had. Counts take 64 bytes for each lock at
         * each rank, and no verb. Defaults to true.
         */
        public Builder counted(boolean counts) {
            this.counted = counts;
            return this;
        }

        @Override
        public LockTable openLazily() {
            check(locks, 1, 1L << 40, "locks");
            check(localBudget, 1, Grant.MAXIMUM_BUDGET, "localBudget");
            check(remoteBudget, 1, Grant.MAXIMUM_BUDGET, "remoteBudget");
            check(descriptors, 1, Descriptors.MAXIMUM, "descriptors");
            var settings = new Settings(name(), locks, algorithm, localBudget, remoteBudget, descriptors, counted);
            return new LockTable(name(), locks, handle(settings::open));
        }

        @Override
        protected Handle<?> handle(LockTable table) {
            return table.handle;
        }

        private static void check(long value, long least, long most, String what) {
            if (value < least || value > most) {
                throw new IllegalArgumentException("from " + least + " to " + most + ": " + what + "=" + value);
            }
        }

        private record Settings(String name, long locks, LockAlgorithm algorithm, int localBudget, int remoteBudget,
                int descriptors, boolean counted) {

            OpenLockTable open(Participant self) {
                var layout = new TableLayout(self.size(), self.maxSize(), locks, descriptors, counted);
                String configuration = LockBlocks.KIND + " algorithm=" + algorithm + " localBudget=" + localBudget
                        + " remoteBudget=" + remoteBudget + " " + layout;
                var blocks = new LockBlocks(name, configuration, layout);
                Parts parts = blocks.open(self);
                // Opened once for each process. A second opening would take all descriptors for free, and all locks
                // for not held.
                return self.shared(name, () -> new OpenLockTable(self, blocks, parts, this::protocol));
            }

            private LockProtocol protocol(Descriptors requests, BackgroundTasks background) {
                return switch (algorithm) {
                    case ALOCK -> QueueLock.asymmetric(requests, localBudget, remoteBudget, background);
                    case MCS -> QueueLock.symmetric(requests, background);
                    case SPIN -> new SpinLock(requests, background);
                };
            }
        }
    }
}
