package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The verbs as structures call them: the fabric's, except on this rank's own memory where plain loads and stores of the
 * CPU suffice. It is the only class that takes this short cut (the asymmetric lock is the deliberate exception).
 *
 * <p>Where the fabric's atomics are atomic with the CPU's, everything on the own rank is local and costs no verb.
 * Elsewhere everything goes through the fabric, for two reasons. An atomic of a network card reads and then writes. A
 * store of the CPU in between can vanish (ALock, table 1). And a load of the CPU can overtake this process's own writes
 * on their way through the card. A thread that is {@link #alone} with the memory may use the CPU there, too.
 */
public final class Endpoint {

    private static final int NO_RANK = -1;

    private static final ImmediateBatch.Segments NONE = (target, _) -> {
        throw new AssertionError("no verb uses this memory: target=" + target);
    };

    // Replaced only while a recorder listens to the verbs. Another thread may use the former fabric for a while, which
    // works as well.
    private Fabric fabric;
    // The same fabric without the wrapper that counts its verbs. So the shortest path of a get needs fewer
    // instructions.
    private Fabric mapping;
    private final LocalMemory local;
    private final int rank;
    // The own rank where the CPU may be used, otherwise no rank. It changes once; other threads may see the change
    // later.
    private int shortCutRank;
    private final PerThread<ImmediateBatch> localBatch;
    private final PerThread<ImmediateBatch> scratch; // of these batches only the buffers are used
    private final Endpoint alone;
    // The segments that callers have asked for.
    private final AtomicReferenceArray<@Nullable MappedSegment> segments;

    public Endpoint(Fabric fabric) {
        this(fabric, fabric.guarantees().coherentWithCpu());
    }

    private Endpoint(Fabric fabric, boolean hasShortCut) {
        this.fabric = fabric;
        this.mapping = fabric.mapping();
        this.local = fabric.local();
        this.rank = fabric.rank();
        this.shortCutRank = hasShortCut ? rank : NO_RANK;
        this.localBatch = batchesOf(rank, local);
        this.scratch = new PerThread<>(() -> ImmediateBatch.ofThread(NONE));
        this.segments = new AtomicReferenceArray<>(fabric.size());
        this.alone = hasShortCut ? this : new Endpoint(fabric, true);
        fabric.whenRemapped(this::remap);
    }

    private static PerThread<ImmediateBatch> batchesOf(int rank, LocalMemory memory) {
        ImmediateBatch.Segments segments = (target, _) -> {
            assert target == rank : "a batch is for the rank it was asked for: asked=" + rank + " target=" + target;
            return memory;
        };
        return new PerThread<>(() -> ImmediateBatch.ofThread(segments));
    }

    public Fabric fabric() {
        return fabric;
    }

    /**
     * Replaces the present fabric by one that wraps it, or that it wraps: to listen to the verbs, or to refuse them.
     */
    public synchronized void replaceFabric(UnaryOperator<Fabric> replacement) {
        fabric = replacement.apply(fabric);
        mapping = fabric.mapping();
        remapAll();
        if (alone != this) {
            alone.replaceFabric(_ -> fabric);
        }
    }

    /** Sends everything through the fabric from now on. The fabric may have been closed, and then it says so. */
    public synchronized void detach() {
        shortCutRank = NO_RANK;
        remapAll();
        if (alone != this) {
            alone.detach();
        }
    }

    /**
     * Returns the same verbs for a thread that alone uses some of this rank's memory, between two barriers. On this
     * rank's memory they are loads and stores of the CPU, whatever the fabric's atomics are. Returns this endpoint
     * itself if they always are.
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

    /** Returns the locator that tells failures which structure they concern. */
    public StructureLocator structures() {
        return fabric.structures();
    }

    public Clock clock() {
        return fabric.clock();
    }

    /**
     * Returns the number of bytes within which one read or write of this target is atomic. The own memory is read word
     * by word.
     */
    public int atomicReadBytes(int target) {
        return target == shortCutRank ? Long.BYTES : fabric.guarantees().atomicReadBytes();
    }

    public boolean readsInOrder(int target) {
        return target == shortCutRank || fabric.guarantees().readsInOrder();
    }

    /** Returns true if a verb to this target that has failed has certainly not been executed. */
    public boolean executesAtOnce(int target) {
        return target == shortCutRank || fabric.executesAtOnce(target);
    }

    /**
     * Returns true if the target's CPU decides guards and searches of a batch, so that neither costs a round trip. The
     * target then executes a batch in order, its reads too, and reads records by one verb. Returns false if verbs to
     * this target are executed at once: there a batch saves nothing.
     */
    public boolean decidesAtOwner(int target) {
        return !executesAtOnce(target) && fabric.guarantees().guardsAtOwner() && fabric.guarantees().readsInOrder();
    }

    /**
     * Returns the target's segment if loads and stores of this process are as good as verbs on it; otherwise null. It
     * is for the shortest paths only: loads and stores are no verbs, so recorders and counters of verbs do not see
     * them.
     */
    public @Nullable LocalMemory mapped(int target) {
        return target == shortCutRank ? local : mapping.mapped(target);
    }

    /**
     * As {@link #mapped(int)}, for code that goes to another rank at each call. It reaches this rank's segment in the
     * same way as the others. So the code has no branch on the rank, which a processor could not predict.
     */
    public @Nullable LocalMemory mappedUniformly(int target) {
        LocalMemory memory = mapping.mapped(target);
        return memory == null && target == shortCutRank ? local : memory;
    }

    /**
     * Returns a holder of what {@link #mapped(int)} returns, now and after each change.
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

    /** Returns the thread's own batch, for verbs to several ranks. All of them go through the fabric. */
    public Batch batch() {
        return fabric.batch();
    }

    /**
     * Returns a buffer of the thread's own with at least {@code bytes} bytes, which no verb and no batch uses. It stays
     * as it is until the thread asks for it again. A virtual thread that asks for much gets memory of the heap. There
     * may be a great many such threads, and each would otherwise keep a large buffer.
     */
    public MemorySegment scratch(long bytes) {
        return bytes > Batch.SMALL_BUFFER_BYTES && Thread.currentThread().isVirtual()
                ? MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))])
                : scratch.value().buffer(bytes);
    }

    /** Runs an action that may ask for the scratch buffer, and then puts back what lay there. */
    public void keepingScratch(Runnable action) {
        MemorySegment used = scratch.value().buffer(0);
        MemorySegment kept = MemorySegment.ofArray(used.toArray(ValueLayout.JAVA_BYTE));
        try {
            action.run();
        } finally {
            used.copyFrom(kept);
        }
    }

    /** Returns the thread's own batch, for verbs to this target only. */
    public Batch batch(int target) {
        return target == shortCutRank ? localBatch.value().emptied() : fabric.batch();
    }

    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        if (target == shortCutRank) {
            local.load(offset, into, position, bytes);
        } else {
            fabric.read(target, offset, into, position, bytes);
        }
    }

    public long readWord(int target, long offset) {
        return target == shortCutRank ? local.getAcquire(offset) : fabric.readWord(target, offset);
    }

    /**
     * Returns a word of each rank's segment. Uses the thread's batch. Cost: R for each rank, in one round trip for
     * 4,096 of them.
     *
     * @param offset of the word in the segment of that rank
     */
    public long[] readWords(IntToLongFunction offset) {
        int atOnce = (int) (Batch.THREAD_BUFFER_BYTES / Long.BYTES);
        long[] words = new long[size()];
        for (int from = 0; from < words.length; from += atOnce) {
            int until = Math.min(from + atOnce, words.length);
            Batch batch = batch();
            for (int target = from; target < until; target++) {
                if (target != shortCutRank) {
                    batch.read(target, offset.applyAsLong(target), (target - from) * Long.BYTES, Long.BYTES);
                }
            }
            batch.complete();
            for (int target = from; target < until; target++) {
                words[target] = target == shortCutRank
                        ? local.getAcquire(offset.applyAsLong(target))
                        : batch.word((target - from) * Long.BYTES);
            }
            batch.close();
        }
        return words;
    }

    public void write(int target, long offset, MemorySegment from, long position, long bytes) {
        if (target == shortCutRank) {
            local.store(offset, from, position, bytes);
        } else {
            fabric.write(target, offset, from, position, bytes);
        }
    }

    public void writeWord(int target, long offset, long value) {
        if (target == shortCutRank) {
            local.setRelease(offset, value);
        } else {
            fabric.writeWord(target, offset, value);
        }
    }

    public long compareAndExchange(int target, long offset, long expected, long value) {
        return target == shortCutRank
                ? local.compareAndExchange(offset, expected, value)
                : fabric.compareAndExchange(target, offset, expected, value);
    }

    public long getAndSet(int target, long offset, long value) {
        return target == shortCutRank ? local.getAndSet(offset, value) : fabric.getAndSet(target, offset, value);
    }

    public long getAndAdd(int target, long offset, long delta) {
        return target == shortCutRank ? local.getAndAdd(offset, delta) : fabric.getAndAdd(target, offset, delta);
    }

    public long getAndBitwiseOr(int target, long offset, long bits) {
        return target == shortCutRank
                ? local.getAndBitwiseOr(offset, bits)
                : fabric.getAndBitwiseOr(target, offset, bits);
    }

    /**
     * Returns when every earlier write of this process to the target has arrived. No later access of this thread
     * takes effect before that.
     */
    public void flush(int target) {
        if (target == shortCutRank) {
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
