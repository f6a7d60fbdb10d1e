package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The verbs as structures call them: the fabric's, except on this rank's own memory where plain loads and stores of the CPU do. The only
 * class that takes this short cut (the asymmetric lock is the deliberate exception).
 *
 * <p>Where the fabric's atomics are atomic with the CPU's, everything of the own rank is local and costs no verb. Elsewhere everything
 * goes through the fabric: a store of the CPU can vanish between the read and the write of a network card's atomic (ALock, table
 * 1), and a load of the CPU can overtake this process's own writes on their way through the card. Who is {@link #alone} with it may use the CPU there, too.
 */
public final class Endpoint {

    private static final int NO_RANK = -1;

    private Fabric fabric; // replaced only while someone listens; a stale one in another thread serves as well
    private Fabric mapping; // the same without what counts its verbs: a wrapper would cost a find instructions
    private final LocalMemory local;
    private final int rank;
    private int shortCut; // the own rank where the CPU may be used, else no rank; changes once, and for a while in some threads only
    private final ThreadLocal<ImmediateBatch> localBatch;
    private final Endpoint alone;
    private final AtomicReferenceArray<@Nullable MappedSegment> segments; // those that were asked for

    public Endpoint(Fabric fabric) {
        this(fabric, fabric.guarantees().coherentWithCpu());
    }

    private Endpoint(Fabric fabric, boolean hasShortCut) {
        this.fabric = fabric;
        this.mapping = fabric.mapping();
        this.local = fabric.local();
        this.rank = fabric.rank();
        this.shortCut = hasShortCut ? rank : NO_RANK;
        this.localBatch = batchesOf(rank, local);
        this.segments = new AtomicReferenceArray<>(fabric.size());
        this.alone = hasShortCut ? this : new Endpoint(fabric, true);
        fabric.whenRemapped(this::remap);
    }

    /** They know nothing of the endpoint: a thread's batch that leads back to where it is kept stays as long as the thread does. */
    private static ThreadLocal<ImmediateBatch> batchesOf(int rank, LocalMemory memory) {
        ImmediateBatch.Segments segments = (target, _) -> {
            assert target == rank : "a batch is for the rank it was asked for: asked=" + rank + " target=" + target;
            return memory;
        };
        return ThreadLocal.withInitial(() -> ImmediateBatch.ofThread(segments));
    }

    public Fabric fabric() {
        return fabric;
    }

    /** Puts a fabric in the place of the present one, which it must wrap, or be wrapped by: to listen to the verbs, or to refuse them. */
    public synchronized void replaceFabric(UnaryOperator<Fabric> replacement) {
        fabric = replacement.apply(fabric);
        mapping = fabric.mapping();
        remapAll();
        if (alone != this) {
            alone.replaceFabric(_ -> fabric);
        }
    }

    /** From now on everything goes through the fabric, which may have been closed, and then says so. */
    public synchronized void detach() {
        shortCut = NO_RANK;
        remapAll();
        if (alone != this) {
            alone.detach();
        }
    }

    /**
     * The same verbs for a thread that is alone, between two barriers, with what it uses of this rank's own memory: there they are loads and stores of the CPU, whatever the fabric's
     * atomics are. This endpoint itself where they always are.
     */
    public Endpoint alone() {
        return alone;
    }

    public int rank() {
        return rank;
    }

    public int size() {
        return fabric.size();
    }

    public Guarantees guarantees() {
        return fabric.guarantees();
    }

    /** Tells failures which structure they are of. */
    public StructureLocator structures() {
        return fabric.structures();
    }

    public Clock clock() {
        return fabric.clock();
    }

    /** What one read or write within so many bytes can rely on with this target: the own memory is read word by word. */
    public int atomicReadBytes(int target) {
        return target == shortCut ? Long.BYTES : fabric.guarantees().atomicReadBytes();
    }

    public boolean readsInOrder(int target) {
        return target == shortCut || fabric.guarantees().readsInOrder();
    }

    /** Whether a verb to this target that has failed has certainly not been executed. */
    public boolean executesAtOnce(int target) {
        return target == shortCut || fabric.executesAtOnce(target);
    }

    /**
     * The target's segment where loads and stores of this process are as good as verbs, else null. For the shortest
     * paths only: loads and stores are no verbs,
     * so nobody who listens to verbs, or counts them, sees these.
     */
    public @Nullable LocalMemory mapped(int target) {
        return target == shortCut ? local : mapping.mapped(target);
    }

    /**
     * What {@link #mapped(int)} returns, now and whenever it changes.
     *
     * @throws IndexOutOfBoundsException if the world has no such rank
     */
    public MappedSegment mappedSegment(int target) {
        MappedSegment known = segments.get(target);
        return known != null ? known : begin(target);
    }

    private synchronized MappedSegment begin(int target) {
        if (segments.compareAndSet(target, null, new MappedSegment())) {
            remap(target);
        }
        return Objects.requireNonNull(segments.get(target));
    }

    private synchronized void remap(int target) {
        MappedSegment known = segments.get(target);
        if (known != null) {
            known.map(mapped(target));
        }
    }

    private void remapAll() {
        for (int target = 0; target < segments.length(); target++) {
            remap(target);
        }
    }

    /** The thread's own batch, for verbs to several ranks; all of them go through the fabric. */
    public Batch batch() {
        return fabric.batch();
    }

    /** A buffer of the thread's own of so many bytes at least, for what comes before any verb: until a batch is asked for. */
    public MemorySegment scratch(long bytes) {
        return (shortCut == NO_RANK ? fabric.batch() : localBatch.get()).buffer(bytes);
    }

    /** The thread's own batch, for verbs to this target only. */
    public Batch batch(int target) {
        return target == shortCut ? localBatch.get().emptied() : fabric.batch();
    }

    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        if (target == shortCut) {
            local.load(offset, into, position, bytes);
        } else {
            fabric.read(target, offset, into, position, bytes);
        }
    }

    public long readWord(int target, long offset) {
        return target == shortCut ? local.getAcquire(offset) : fabric.readWord(target, offset);
    }

    public void write(int target, long offset, MemorySegment from, long position, long bytes) {
        if (target == shortCut) {
            local.store(offset, from, position, bytes);
        } else {
            fabric.write(target, offset, from, position, bytes);
        }
    }

    public void writeWord(int target, long offset, long value) {
        if (target == shortCut) {
            local.setRelease(offset, value);
        } else {
            fabric.writeWord(target, offset, value);
        }
    }

    public long compareAndExchange(int target, long offset, long expected, long value) {
        return target == shortCut
                ? local.compareAndExchange(offset, expected, value)
                : fabric.compareAndExchange(target, offset, expected, value);
    }

    public long getAndSet(int target, long offset, long value) {
        return target == shortCut ? local.getAndSet(offset, value) : fabric.getAndSet(target, offset, value);
    }

    public long getAndAdd(int target, long offset, long delta) {
        return target == shortCut ? local.getAndAdd(offset, delta) : fabric.getAndAdd(target, offset, delta);
    }

    public long getAndBitwiseOr(int target, long offset, long bits) {
        return target == shortCut ? local.getAndBitwiseOr(offset, bits) : fabric.getAndBitwiseOr(target, offset, bits);
    }

    /** Every earlier write of this process to the target has arrived, and no later access of this thread is done before. */
    public void flush(int target) {
        if (target == shortCut) {
            local.fullFence();
        }
        fabric.flush(target);
    }

    /** As {@link #flush(int)} for every rank. */
    public void flush() {
        local.fullFence();
        fabric.flush();
    }
}
