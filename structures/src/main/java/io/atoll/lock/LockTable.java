package io.atoll.lock;

import io.atoll.codec.VariableCodecs;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
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
 * Locks, spread evenly over the ranks (ALock, section 6: the distributed lock table). A lock is chosen by its index, or by a key that it guards; keys share locks.
 * <pre>{@code
 * try (Acquisition held = accounts.lock(order.account())) {
 *     ledger.append(held.fencingToken(), order);
 * }
 * }</pre>
 *
 * <p>Who waits, waits in a queue, for a word in its own segment. The two cohorts of a lock, its owner's threads and all others, take turns as their budgets say, so
 * nobody starves. A holder or waiter whose rank dies is removed as soon as its death is proven; the next holder {@linkplain Acquisition#recovered() is told}. The lock is never
 * granted to two at a time, except to one that has died and does not know it yet: see {@link Acquisition}. If a rank loses its segment, the locks there are free again and have larger tokens. The release of one that
 * was held tells so by a {@link io.atoll.failure.SegmentLostException}.
 *
 * <p>Not reentrant: a thread that would wait for a lock that it holds gets an {@link IllegalMonitorStateException} instead. Keys share locks, so two keys may mean the same
 * lock: a caller that needs several at once uses {@link #lockAll}. {@link #asLock} has a view that is reentrant.
 *
 * <p>Costs are those of a lock that nobody else wants. An owner's thread that acquires or releases its own lock uses no verb, on any fabric.
 */
public final class LockTable {

    private final String name;
    private final long locks;
    private final Handle<OpenTable> handle;

    private LockTable(String name, long locks, Handle<OpenTable> handle) {
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

    /** How many locks it has. */
    public long locks() {
        return locks;
    }

    /** The rank in whose segment the lock lies. */
    public int owner(long index) {
        return handle.opened().layout().owner(checkIndex(index));
    }

    /** The lock that guards the key, the same at all ranks of the world. No verb, once the table is open. */
    public long indexOf(long key) {
        return Long.remainderUnsigned(handle.opened().hashing().of(key), locks);
    }

    /**
     * As {@link #indexOf(long)}.
     *
     * @param key a text, a UUID, a record: whatever has a codec, see {@link VariableCodecs}
     * @throws IllegalArgumentException if it has none
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
        return unlessInterrupted(acquireFor(index, key, Patience.UNBOUNDED), index);
    }

    /** Acquires the lock that guards the key. As {@link #lockAt}. */
    public Acquisition lock(Object key) throws InterruptedException {
        long index = indexOf(key);
        return unlessInterrupted(acquireFor(index, key, Patience.UNBOUNDED), index);
    }

    /** Acquires the lock that guards the key if it is free, else returns null. As {@link #tryLockAt(long)}. */
    public @Nullable Acquisition tryLock(long key) {
        return acquireFor(indexOf(key), key, Patience.NONE);
    }

    /** Acquires the lock that guards the key if it is free, else returns null. As {@link #tryLockAt(long)}. */
    public @Nullable Acquisition tryLock(Object key) {
        return acquireFor(indexOf(key), key, Patience.NONE);
    }

    /** Acquires the lock that guards the key, or returns null when the time is over. As {@link #tryLockAt(long, Duration)}. */
    public @Nullable Acquisition tryLock(long key, Duration timeout) throws InterruptedException {
        long index = indexOf(key);
        return refuseIfInterrupted(acquireFor(index, key, patience(timeout)), index);
    }

    /** Acquires the lock that guards the key, or returns null when the time is over. As {@link #tryLockAt(long, Duration)}. */
    public @Nullable Acquisition tryLock(Object key, Duration timeout) throws InterruptedException {
        long index = indexOf(key);
        return refuseIfInterrupted(acquireFor(index, key, patience(timeout)), index);
    }

    /**
     * Waits for the lock, as long as it takes; and first, if as many threads of this rank hold or await locks of the table as it has descriptors, for one of those. Cost: A + R + W in two round trips; no verb for its owner.
     *
     * @throws InterruptedException and this thread waits no more
     * @throws IllegalMonitorStateException if this thread holds the lock
     * @throws IllegalStateException if this thread holds locks of this table, and no descriptor becomes free for another one within the operation timeout
     * @throws io.atoll.failure.RankUnreachableException when the owner is not there
     * @throws io.atoll.failure.FabricTimeoutException when a dead rank is being removed from the lock's queue, and that does not end within the operation timeout
     */
    public Acquisition lockAt(long index) throws InterruptedException {
        return unlessInterrupted(acquire(handle.use(), index, Patience.UNBOUNDED), index);
    }

    /** As {@link #lockAt}, also if the thread is interrupted. */
    public Acquisition lockUninterruptiblyAt(long index) {
        return Objects.requireNonNull(acquire(handle.use(), index, Patience.UNINTERRUPTIBLE));
    }

    /**
     * Returns the lock if it is free, else null; null as well if as many threads of this rank hold or await locks of the table as it has descriptors. Of several threads that try at the same time to
     * have a free lock, one gets it. Waits for no holder. A thread that meets another one in the middle of trying waits for its next step, and no longer than the operation timeout.
     *
     * <p>Cost: as {@link #lockAt}; 3 R to 7 R more for each look at another thread that tries, or has the lock; 4 R for each thread
     * that has waited in vain and whose turn has not come yet.
     *
     * @throws io.atoll.failure.RankUnreachableException when the owner is not there
     */
    public @Nullable Acquisition tryLockAt(long index) {
        return acquire(handle.use(), index, Patience.NONE);
    }

    /**
     * As {@link #lockAt}, for so long at most; returns null then. The queue keeps the place of a thread that has waited in vain, until its turn comes and is passed over, or
     * another thread of this rank waits in that place.
     */
    public @Nullable Acquisition tryLockAt(long index, Duration timeout) throws InterruptedException {
        return refuseIfInterrupted(acquire(handle.use(), index, patience(timeout)), index);
    }

    private Patience patience(Duration timeout) {
        return Patience.of(handle.opened().clock(), timeout);
    }

    private @Nullable Acquisition acquire(OpenTable opened, long index, Patience patience) {
        try {
            return opened.acquire(checkIndex(index), patience);
        } catch (HeldByThisThread held) {
            throw held.of(name, null);
        }
    }

    private @Nullable Acquisition acquireFor(long index, long key, Patience patience) {
        try {
            Acquisition acquired = handle.use().acquire(index, patience);
            return acquired == null ? null : acquired.of(key);
        } catch (HeldByThisThread held) {
            throw held.of(name, key);
        }
    }

    private @Nullable Acquisition acquireFor(long index, Object key, Patience patience) {
        try {
            Acquisition acquired = handle.use().acquire(index, patience);
            return acquired == null ? null : acquired.of(key);
        } catch (HeldByThisThread held) {
            throw held.of(name, key);
        }
    }

    /** Of a thread that waited as long as it took: it has the lock, or was interrupted. */
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
     * Acquires the locks that guard the keys, each once, in the order of their indices: so several that do the same never wait for each other in a circle.
     *
     * @throws InterruptedException and none is held
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
     * Returns the lock that guards the key as {@code java.util.concurrent} knows it. A thread holds it and may acquire it again; that thread alone may unlock it, by any such view
     * of this process. Conditions are not supported. Uses no verb.
     */
    public Lock asLock(long key) {
        return new ThreadLock(this, indexOf(key), true, key);
    }

    /** As {@link #asLock(long)}. */
    public Lock asLock(Object key) {
        return new ThreadLock(this, indexOf(key), true, key);
    }

    /** As {@link #asLock(long)}, of that index. A thread may acquire it again only if it is {@code reentrant}. */
    public Lock asLockAt(long index, boolean reentrant) {
        return new ThreadLock(this, checkIndex(index), reentrant, null);
    }

    /** Of locks that threads hold, by index; others in each life of this process. */
    ConcurrentMap<Long, ThreadLock.Hold> holds() {
        return handle.opened().holds();
    }

    // --- for operators ---

    /**
     * Takes the lock from the thread of this process that holds it, for an operator who knows that it will not be released: whoever has it next is {@linkplain
     * Acquisition#recovered() told}, and may find what it guards half-done. The one that it was taken from can be caught by its {@linkplain Acquisition#fencingToken() token}; its
     * {@link Acquisition#isHeld} is false. What another process holds is ended by {@link io.atoll.Inspection#forceUnlock}.
     *
     * @return false if nobody holds the lock
     * @throws IllegalStateException if a thread of another rank does
     * @throws io.atoll.failure.RankUnreachableException when the owner is not there, or a rank that may hold the lock
     * @throws io.atoll.failure.FabricTimeoutException when a thread of this process that has just asked for the lock does not go on within the operation timeout; the lock is held as before
     */
    public boolean forceUnlock(long index) {
        OpenTable opened = handle.opened();
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

    /** Who holds the lock and who waits for it, and how often. Cost: of each rank 4R and R for each 512 descriptors; R, and 2R for each who holds it or waits. */
    public LockState look(long index) {
        return handle.opened().view().look(checkIndex(index));
    }

    /**
     * The locks for which has been waited longest, all waits together, the hottest first. Cost: of each rank R for each 512 locks and for each 512 descriptors, and for each lock that
     * is returned as {@link #look}.
     */
    public List<LockState> hottest(int most) {
        return handle.opened().view().hottest(most);
    }

    @Override
    public String toString() {
        return "LockTable[" + name + "]";
    }

    /** What a table is opened with; every rank that opens it must ask for the same. */
    public static final class Builder {

        private final String name;
        private final Supplier<Participant> participant;
        private long locks = 1024;
        private LockAlgorithm algorithm = LockAlgorithm.ALOCK;
        private int localBudget = 5;
        private int remoteBudget = 20;
        private int descriptors = 256;
        private boolean counted = true;

        private Builder(String name, Supplier<Participant> participant) {
            this.name = name;
            this.participant = participant;
        }

        /** How many locks, over all ranks; 1,024 unless told. */
        public Builder locks(long count) {
            this.locks = count;
            return this;
        }

        /** {@link LockAlgorithm#ALOCK} unless told. */
        public Builder algorithm(LockAlgorithm algorithm) {
            this.algorithm = algorithm;
            return this;
        }

        /** How often in a row the owner's threads may have a lock while others want it, from 1 to 255; 5 unless told (ALock, section 6.1). */
        public Builder localBudget(int acquisitions) {
            this.localBudget = acquisitions;
            return this;
        }

        /** How often in a row others may have a lock while its owner wants it, from 1 to 255; 20 unless told (ALock, section 6.1). */
        public Builder remoteBudget(int acquisitions) {
            this.remoteBudget = acquisitions;
            return this;
        }

        /**
         * Sets how many locks of this table the threads of a rank hold or await at the same time; further threads wait until one is released. Of 64 or more, five of eight are set aside for
         * threads that hold a lock already. Defaults to 256; at most 65,472.
         */
        public Builder descriptors(int count) {
            this.descriptors = count;
            return this;
        }

        /** Whether it is counted how often each lock is wanted and had: takes 64 bytes for each lock at each rank, and no verb. True unless told. */
        public Builder counted(boolean counts) {
            this.counted = counts;
            return this;
        }

        /**
         * Attaches to the table, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         */
        public LockTable open() {
            LockTable table = openLazily();
            table.handle.opened();
            return table;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public LockTable openLazily() {
            check(locks, 1, 1L << 40, "locks");
            check(localBudget, 1, Grant.MAXIMUM_BUDGET, "localBudget");
            check(remoteBudget, 1, Grant.MAXIMUM_BUDGET, "remoteBudget");
            check(descriptors, 1, Descriptors.MAXIMUM, "descriptors");
            return new LockTable(name, locks, Handle.of(name, participant, this::open));
        }

        private static void check(long value, long least, long most, String what) {
            if (value < least || value > most) {
                throw new IllegalArgumentException("from " + least + " to " + most + ": " + what + "=" + value);
            }
        }

        private OpenTable open(Participant self) {
            var layout = new TableLayout(self.size(), self.maxSize(), locks, descriptors, counted);
            String configuration = LockBlocks.KIND + " algorithm=" + algorithm + " localBudget=" + localBudget
                    + " remoteBudget=" + remoteBudget + " " + layout;
            var blocks = new LockBlocks(name, configuration, layout);
            Parts parts = blocks.open(self);
            // Once for each process: who opened it anew would think that all descriptors are free, and no lock is held.
            return self.shared(name, () -> new OpenTable(self, blocks, parts, this::locking));
        }

        private Locking locking(Descriptors requests, Keeper keeper) {
            return switch (algorithm) {
                case ALOCK -> QueueLock.asymmetric(requests, localBudget, remoteBudget, keeper);
                case MCS -> QueueLock.symmetric(requests, keeper);
                case SPIN -> new SpinLock(requests, keeper);
            };
        }
    }
}
