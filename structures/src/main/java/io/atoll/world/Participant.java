package io.atoll.world;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapArea;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.StructureListener.Happening;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongBinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's part in a world, as structures need it: its verbs, its identity, and what it may rely on when other ranks
 * fail.
 */
public final class Participant {

    private static final Logger LOG = LoggerFactory.getLogger(Participant.class);

    private static final long PAGE_BYTES = 4096;
    private static final String SEED = "atoll key seed";

    private final Endpoint endpoint;
    private final int maxSize;
    private final int incarnation;
    private final Liveness liveness;
    private final Waits waits;
    private final Reservations reservations;
    private final Heap heap;
    private final Directory directory;
    private final long historyWord;
    private final long segmentBytes;
    private final LongSupplier seed;
    private final Barrier barrier;
    private final Supplier<int[]> incarnations;
    private final BackgroundThreads background;
    private final StructureListener structureListener;
    private final Optional<LongSupplier> seeds;
    private final InProcess process;
    private final Operations operations;
    private final int[] losses; // of segments, by rank, that this process has seen

    /** State that this process has once in each of its lives, whichever ranks lose their segments. */
    private static final class InProcess {

        private final Map<String, Object> shared = new ConcurrentHashMap<>();
        private final List<Runnable> ticked = new CopyOnWriteArrayList<>();
        // in use; guarded by itself
        private final Set<Endpoint> endpoints = Collections.newSetFromMap(new WeakHashMap<>());
        private final Map<Handle<?>, OnLoss> handles = new WeakHashMap<>(); // guarded by itself
        private volatile long nowMillis = System.currentTimeMillis();
        private volatile @Nullable Participant latest;
        private volatile boolean hasEnded;

        private void add(Endpoint endpoint) {
            synchronized (endpoints) {
                endpoints.add(endpoint);
            }
        }

        private List<Handle<?>> handles(Predicate<OnLoss> which) {
            synchronized (handles) {
                return handles.entrySet()
                        .stream()
                        .filter(each -> which.test(each.getValue()))
                        .<Handle<?>>map(Map.Entry::getKey)
                        .toList();
            }
        }

        private List<Endpoint> endpoints() {
            synchronized (endpoints) {
                return List.copyOf(endpoints);
            }
        }
    }

    /**
     * @param incarnation of this rank, 1 to 65,535
     * @param operationTimeout how long an operation waits for a living rank that stands still in the middle of another
     * operation
     * @param incarnations returns the present incarnations of all ranks, 0 for a rank that is not there. For operations
     * that wait for all ranks. An incarnation that was lost must not come back
     */
    public Participant(Endpoint endpoint, int incarnation, Liveness liveness, Duration operationTimeout,
            Supplier<int[]> incarnations) {
        this(endpoint, WorldIdentity.defaultMaxSize(endpoint.size()), incarnation, liveness, operationTimeout,
                incarnations, StepObserver.UNOBSERVED, new BackgroundThreads(), StructureListener.NONE,
                Optional.empty(), new Operations());
    }

    /**
     * As above.
     *
     * @param maxSize ranks that may ever be in the world
     * @param stepObserver runs what this process does rarely
     * @param background looks after this process's threads
     * @param structureListener is told what this process does to structures
     * @param seeds makes the seed of keys' hashes, if this process is the first to need it. If it is empty, the seed is
     * 0 in every world, so that runs can be repeated
     * @param operations of this process, in all its lives
     */
    public Participant(Endpoint endpoint, int maxSize, int incarnation, Liveness liveness, Duration operationTimeout,
            Supplier<int[]> incarnations, StepObserver stepObserver, BackgroundThreads background,
            StructureListener structureListener, Optional<LongSupplier> seeds, Operations operations) {
        SegmentLayout layout = SegmentLayout.of(maxSize, endpoint.fabric().local().size());
        this.endpoint = endpoint;
        this.maxSize = maxSize;
        this.incarnation = incarnation;
        this.liveness = liveness;
        this.waits = new Waits(endpoint.clock());
        this.reservations = new Reservations(endpoint, liveness, operationTimeout, waits, stepObserver);
        this.heap = new Heap(endpoint, new HeapArea(layout.heap(), layout.size()), incarnation);
        this.directory = new Directory(endpoint, heap, liveness, reservations, layout.directory(), Directory.ENTRIES,
                incarnation, stepObserver);
        this.historyWord = layout.history();
        this.segmentBytes = layout.size();
        this.seeds = seeds;
        this.seed = seeds.map(this::agreed).orElse(() -> 0);
        this.incarnations = incarnations;
        this.barrier = new Barrier(endpoint, layout.barrier(), incarnations, waits);
        this.background = background;
        this.structureListener = structureListener;
        this.process = new InProcess();
        this.operations = operations;
        this.losses = new int[endpoint.size()];
        process.add(endpoint);
    }

    private Participant(Participant former, Endpoint renewed, int lost) {
        this.endpoint = renewed;
        this.maxSize = former.maxSize;
        this.incarnation = former.incarnation;
        this.liveness = former.liveness;
        this.waits = former.waits;
        this.reservations = former.reservations.by(renewed);
        this.heap = former.heap.by(renewed, lost);
        this.directory = former.directory.by(renewed, heap, reservations);
        this.historyWord = former.historyWord;
        this.segmentBytes = former.segmentBytes;
        this.seeds = former.seeds;
        this.seed = seeds.map(this::agreed).orElse(() -> 0);
        this.incarnations = former.incarnations;
        this.barrier = former.barrier;
        this.background = former.background;
        this.structureListener = former.structureListener;
        this.process = former.process;
        this.operations = former.operations;
        this.losses = former.losses.clone();
        losses[lost]++;
        process.add(renewed);
    }

    /**
     * Returns the ranks for which this participant knows another segment than a former participant of this process
     * does.
     */
    public List<Integer> lostSince(Participant former) {
        return IntStream.range(0, losses.length).filter(rank -> losses[rank] != former.losses[rank]).boxed().toList();
    }

    /** Returns how many losses of segments this process had seen when this participant was made. */
    public int lossesSeen() {
        return IntStream.of(losses).sum();
    }

    /**
     * Goes on after a rank has lost its segment. From now on {@link #latest} is another participant, which reaches the
     * rank's present segment. A caller that keeps this participant, or a former one, keeps what it knows of all other
     * ranks. What it asks of that rank fails with a {@link io.atoll.failure.SegmentLostException}. So offsets of the
     * lost segment are never used in the new one, and need not be searched for. Called by one thread at a time.
     *
     * @param renewed reaches the rank's present segment, and the same segments of the other ranks
     */
    public Participant renew(Endpoint renewed, int lost) {
        var next = new Participant(latest(), renewed, lost);
        barrier.reachBy(renewed, next.lossesSeen());
        // A thread that sees it may use all of it.
        process.latest = next;
        // (2) before handles forget what they have found: a thread that later finds something for this participant sees
        // the new one.
        VarHandle.fullFence();
        process.handles(OnLoss.EMPTY::equals).forEach(Handle::renew);
        return next;
    }

    /**
     * Ends this participant: from now on this process has another part in the world, since it has joined again. Handles
     * forget what they have found by this one. Operations that still use it fail.
     */
    public void end() {
        process.hasEnded = true;
        // (2) as in renew.
        VarHandle.fullFence();
        process.handles(_ -> true).forEach(Handle::forget);
    }

    /**
     * Registers a handle that opens something by this participant. It forgets the result when this participant is over.
     */
    void opens(Handle<?> handle, OnLoss onLoss) {
        synchronized (process.handles) {
            process.handles.put(handle, onLoss);
        }
    }

    /**
     * Returns true if another participant is to be used instead.
     *
     * @param onLoss of the structure
     */
    boolean isFormer(OnLoss onLoss) {
        return process.hasEnded || onLoss == OnLoss.EMPTY && latest() != this;
    }

    /** Returns this process's present part in the world: this participant until a rank has lost its segment. */
    public Participant latest() {
        Participant latest = process.latest;
        return latest == null ? this : latest;
    }

    /**
     * Returns the bytes.
     *
     * @throws IllegalArgumentException if such a segment is too small for a world of that maximum size, or not in whole
     * pages
     */
    public static long checkSegmentBytes(int maxSize, long segmentBytes) {
        if (segmentBytes % PAGE_BYTES != 0) {
            throw new IllegalArgumentException("a segment has whole pages of " + PAGE_BYTES + " bytes: segmentBytes="
                    + segmentBytes);
        }
        return SegmentLayout.of(maxSize, segmentBytes).size();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public int rank() {
        return endpoint.rank();
    }

    /**
     * Checks that a caller that promises to be alone with a part of a structure is its owner: only the owner may
     * promise that.
     *
     * @throws IllegalStateException if this rank is not the owner
     */
    public void checkOwn(String structure, int owner) {
        if (owner != rank()) {
            throw new IllegalStateException(
                    "local operations are the owner's: structure=" + structure + " owner=" + owner + " rank="
                            + rank());
        }
    }

    /** Returns the number of ranks of the world. */
    public int size() {
        return endpoint.size();
    }

    /**
     * Returns how many ranks may ever be in the world. Tables in a segment that have an entry for each rank have this
     * many entries. Those beyond the size are not used.
     */
    public int maxSize() {
        return maxSize;
    }

    public int incarnation() {
        return incarnation;
    }

    /** Returns the present incarnations of all ranks, 0 for a rank that is not there. */
    public int[] incarnations() {
        return incarnations.get();
    }

    public Liveness liveness() {
        return liveness;
    }

    public Heap heap() {
        return heap;
    }

    public Directory directory() {
        return directory;
    }

    /** Returns the size of each rank's segment. */
    public long segmentBytes() {
        return segmentBytes;
    }

    /** Returns the offset of the word, in each segment, that says where its owner keeps a history. */
    public long historyWord() {
        return historyWord;
    }

    private LongSupplier agreed(LongSupplier seeds) {
        var agreed = new Handle<Long>(() -> directory.agree(SEED, seeds));
        return agreed::opened;
    }

    /**
     * Returns the seed of keys' hashes, the same at all ranks as long as the world's memory is kept. Cost: that of
     * {@link Directory#agree} at the first call, then none.
     *
     * @throws io.atoll.failure.RankUnreachableException at the first call, if a rank is not there
     */
    public long seed() {
        return seed.getAsLong();
    }

    /** As {@link #seed}, as far as that rank knows it, for observers. Waits for no other rank. Cost: 3 R. */
    public OptionalLong seedAt(int rank) {
        return directory.agreedAt(rank, SEED);
    }

    /**
     * Returns an object that all threads of this process share for a structure, through whatever object they use it.
     * The first call makes it. If it is closeable, this process closes it when it leaves.
     *
     * @param name of the structure in the directory, which determines the type
     */
    @SuppressWarnings("unchecked") // a name belongs to one kind of structure
    public <T> T shared(String name, Supplier<T> making) {
        return (T) process.shared.computeIfAbsent(name, _ -> making.get());
    }

    /** Returns how often this process has used each structure. */
    public Operations operations() {
        return operations;
    }

    /** Returns what is needed to wait for operations of other ranks. */
    public Reservations reservations() {
        return reservations;
    }

    /**
     * Gives back runs and objects of the heap that no other process knows: now, or as soon as their owner can be
     * reached. Each is freed at most once, because by a second time it may belong to another process. For operations
     * that fail before they have made them known.
     */
    public void giveBack(int owner, long... unknown) {
        var next = new AtomicInteger();
        reservations.undo(owner, () -> {
            // Earlier writes to it may still be under way. And a connection that broke before is noticed here.
            endpoint.flush(owner);
            while (next.get() < unknown.length) {
                heap.free(owner, unknown[next.getAndIncrement()]);
            }
        });
    }

    /**
     * Returns milliseconds since 1970, to about a tenth of a second. For callers for which reading the clock costs too
     * much.
     */
    public long nowMillis() {
        return process.nowMillis;
    }

    /**
     * The watch of peers calls this several times a second, as long as this process takes part. Runs all actions,
     * whatever one of them throws; an error is thrown after the last one.
     */
    public void tick() {
        process.nowMillis = System.currentTimeMillis();
        background.startMissing();
        BackgroundThread.each(process.ticked, Participant::isDone);
    }

    private static boolean isDone(Runnable action) {
        try {
            action.run();
            return true;
        } catch (RuntimeException failure) {
            LOG.warn("cannot do what is due at each tick, will try again: {}", action, failure);
            return false;
        }
    }

    /** From now on the action runs at each tick, by one thread at a time. It must be short and must not wait. */
    public void onTick(Runnable action) {
        process.ticked.add(action);
    }

    /** Returns the threads that work for this world in this process. */
    public BackgroundThreads background() {
        return background;
    }

    /**
     * Tells the listener what has happened to a structure. Never fails, because the operation has already taken effect,
     * or has already failed. No verb.
     *
     * @see StructureListener#happened
     */
    public void tell(Happening what, String structure, int rank, Supplier<String> change) {
        try {
            structureListener.happened(what, structure, rank, change.get());
        } catch (VirtualMachineError | LinkageError error) {
            Aftermath.warn("nobody is told what has happened to a structure", error);
        }
    }

    /** Returns what threads of this process wait for. */
    public Waits waits() {
        return waits;
    }

    /**
     * Takes back what earlier incarnations of this rank had under way in a segment. Also takes back what this one had
     * to leave there when it could no longer reach the segment. A caller calls this when the segment can be used, and
     * again whenever it can be used again. Does not wait.
     */
    public void recover(int segment) {
        reservations.retry(segment);
        if (incarnation > 1) {
            takeBack(segment, rank(), incarnation - 1);
        }
    }

    /**
     * Takes back what a rank had reserved and in its slab cache in this rank's segment. That is what it had in this
     * incarnation, which has ended and is fenced, and in earlier ones. In other segments their owners do that, or the
     * rank itself when it starts again. Does not wait.
     */
    public void reclaimDead(int rank, int incarnation) {
        takeBack(rank(), rank, incarnation);
    }

    private void takeBack(int segment, int rank, int incarnation) {
        directory.repairAll(segment);
        directory.takeBack(segment, rank, incarnation);
        heap.reclaimStock(segment, rank, incarnation);
    }

    /**
     * From now on every operation fails with the reason, and touches no memory. For a process that must not take part
     * any more.
     */
    public void fence(JoinRefusedException reason) {
        for (Endpoint each : process.endpoints()) {
            each.replaceFabric(former -> new FencedFabric(former, reason));
            each.detach();
        }
    }

    /**
     * Waits until every rank has called this as often. Everything that any rank wrote before is visible to all
     * afterwards. Threads of one rank take turns. Cost: ceil(log2 size) W, twice as many for the first barrier after a
     * rank has joined.
     *
     * <p>An interrupted thread has entered the barrier: if it calls again, it waits for the same one. If this rank
     * begins other work of all ranks instead, the barrier ends for the ranks that are in it.
     *
     * @throws io.atoll.failure.RankUnreachableException if a rank is not there, is lost or started anew meanwhile, or
     * has left what it had entered. Other ranks may have passed. The next barrier is one for all again
     */
    public void barrier() throws InterruptedException {
        barrier.await();
    }

    /**
     * Does work that takes several barriers, which must be the same ones for all ranks. If a rank is lost or started
     * anew meanwhile, the work ends. Threads of one rank take turns.
     *
     * <p>An interrupted thread may call it again, and goes on where it was. If this rank begins any other work of all
     * ranks instead, that ends this one.
     *
     * @param what the same object whenever it is called again
     * @throws io.atoll.failure.RankUnreachableException as {@link #barrier}
     */
    public void together(Object what, Barrier.Together acting) throws InterruptedException {
        barrier.resumably(what, acting);
    }

    /**
     * Returns the number of the barrier that this process has passed last, 0 before the first. The number is the same
     * at all ranks that have passed that barrier. Reductions pass barriers, too.
     */
    public long lastBarrier() {
        return barrier.last();
    }

    /**
     * Combines the values of all ranks element by element, in the order of ranks. The array of each rank then holds the
     * result. Every rank must call it, with equally many values. Cost: a barrier, and size - 1 R in one batch, for each
     * 64 values.
     *
     * <p>If it fails or is interrupted, the array is as it was. An interruption ends the reduction for all ranks that
     * are in it; their failures name this rank. If the operator throws, its exception is thrown after all ranks have
     * this one's values. The other ranks have their results.
     *
     * @throws io.atoll.failure.RankUnreachableException if a rank is not there, or is lost or started anew meanwhile,
     * or was interrupted. Other ranks may have the result. The next reduction is one of all again
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        barrier.allReduce(values, operator);
    }

    /**
     * Gives back what this process has in its slab caches, and stops using its own memory. For a process that leaves.
     */
    public void leave() {
        BackgroundThread.all(() -> BackgroundThread.each(process.shared.values(), Participant::isClosed),
                this::releaseStock,
                () -> process.endpoints().forEach(Endpoint::detach));
    }

    private void releaseStock() {
        for (int rank = 0; rank < size(); rank++) {
            try {
                heap.releaseStock(rank);
            } catch (RankUnreachableException | FencedException gone) {
                // The slab cache there is taken back when this incarnation has ended.
            }
        }
    }

    private static boolean isClosed(Object used) {
        try {
            if (used instanceof AutoCloseable closeable) {
                closeable.close();
            }
            return true;
        } catch (Exception failure) {
            LOG.warn("cannot close what this process used of a structure: {}", used, failure);
            return false;
        }
    }
}
