package io.atoll.fabric.shm;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.fabric.PerThread;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that are the CPU's own loads, stores and atomics on mapped segments: each takes effect before its call returns,
 * in program order, words whole.
 */
final class SharedMemoryFabric implements Fabric {

    private static final Guarantees GUARANTEES = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, Long.BYTES, true, true,
            true);

    private final Segments segments;
    private final LocalMemory own;
    private final PerThread<ImmediateBatch> batches;
    private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();
    // The fabrics that were renewed, and this one; guarded by itself. It forgets a fabric that is unreachable.
    private final Set<SharedMemoryFabric> all;

    /**
     * The segments that can be used. It does not refer to the fabric: a thread's batch that refers back to its fabric
     * would stay as long as the thread does.
     */
    private static final class Segments {

        private final int rank;
        // Null if a rank is not reachable. The elements are plain: every verb begins with an acquire or a release
        // access. So a later verb of any thread sees a change, though the one under way may not.
        private final @Nullable MappedMemory[] memories;
        // by rank, 0 unless its segment was lost; written before its memory is set to null
        private final int[] lostSince;
        private final StructureLocator structures = new StructureLocator();
        private volatile boolean closed;

        Segments(int rank, @Nullable MappedMemory[] memories) {
            this.rank = rank;
            this.memories = memories;
            this.lostSince = new int[memories.length];
        }

        MappedMemory memory(int target, String verb, long offset) {
            MappedMemory memory = memories[target];
            if (memory == null) {
                refuseIfClosed(target, offset);
                if (lostSince[target] != 0) {
                    throw lost(verb, target, offset);
                }
                throw new RankUnreachableException(
                        "the rank has not joined, has left or has died, start it or wait until it is back", verb,
                        target, offset).in(structures.find(target, offset));
            }
            return memory;
        }

        FabricException lost(String verb, int target, long offset) {
            return new SegmentLostException(lostSince[target], verb, target, offset)
                    .in(structures.find(target, offset));
        }

        void refuseIfClosed(int target, long offset) {
            if (closed) {
                throw new IllegalStateException(
                        "this process has left its world: " + structures.facts(target, offset) + "rank=" + rank);
            }
        }

        ImmediateBatch batchOfThread() {
            return ImmediateBatch.ofThread(this::memory);
        }

        ImmediateBatch batch(long bufferBytes) {
            return new ImmediateBatch(this::memory, bufferBytes);
        }

        private MappedMemory memory(int target, long offset) {
            return memory(target, "batch", offset);
        }
    }

    SharedMemoryFabric(int rank, int size, MappedMemory own) {
        this(new Segments(rank, new MappedMemory[size]), own.asConstant(),
                Collections.newSetFromMap(new WeakHashMap<>()));
        place(rank, own);
    }

    private SharedMemoryFabric(Segments segments, LocalMemory own, Set<SharedMemoryFabric> all) {
        this.segments = segments;
        this.own = own;
        this.batches = new PerThread<>(segments::batchOfThread);
        this.all = all;
        synchronized (all) {
            all.add(this);
        }
    }

    /**
     * Makes a rank reachable, or with null unreachable. Fabrics that know the rank by a segment which it has lost are
     * left as they are.
     */
    void place(int peer, @Nullable MappedMemory memory) {
        for (SharedMemoryFabric fabric : everyFabric()) {
            if (fabric.segments.lostSince[peer] == 0) {
                fabric.map(peer, memory);
            }
        }
    }

    private List<SharedMemoryFabric> everyFabric() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }

    private void map(int peer, @Nullable MappedMemory memory) {
        segments.memories[peer] = memory;
        VarHandle.fullFence();
        listeners.forEach(listener -> listener.accept(peer));
    }

    /**
     * Returns a fabric that reaches the same segments except the rank's, which was lost. It reaches the rank's other
     * segment once that is {@linkplain #place placed}. Former fabrics never reach that segment: their tables have had
     * the lost segment and will have none for that rank.
     *
     * @param born the incarnation in which the other segment was made
     */
    SharedMemoryFabric renewed(int peer, int born) {
        for (SharedMemoryFabric fabric : everyFabric()) {
            if (fabric.segments.lostSince[peer] == 0) {
                fabric.segments.lostSince[peer] = born;
                fabric.map(peer, null);
            }
        }
        return new SharedMemoryFabric(new Segments(segments.rank, segments.memories.clone()), own, all);
    }

    /** Returns the failure of loads and stores on memory that its rank has lost. */
    FabricException lost(int target, long offset) {
        return segments.lost("access", target, offset);
    }

    /** Returns the failure of loads and stores on memory that was given back, since this process takes part no more. */
    FabricException fenced(JoinRefusedException reason, int target, long offset) {
        return new FencedException(reason, "access", target, offset).in(structures().find(target, offset));
    }

    private MappedMemory memory(int target, String verb, long offset) {
        return segments.memory(target, verb, offset);
    }

    @Override
    public int rank() {
        return segments.rank;
    }

    @Override
    public int size() {
        return segments.memories.length;
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    @Override
    public boolean executesAtOnce(int target) {
        return true;
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        memory(target, "read", offset).load(offset, into, position, bytes);
    }

    @Override
    public long readWord(int target, long offset) {
        return memory(target, "read", offset).getAcquire(offset);
    }

    @Override
    public void write(int target, long offset, MemorySegment from, long position, long bytes) {
        memory(target, "write", offset).store(offset, from, position, bytes);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        memory(target, "write", offset).setRelease(offset, value);
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        return memory(target, "compareAndExchange", offset).compareAndExchange(offset, expected, value);
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        return memory(target, "getAndAdd", offset).getAndAdd(offset, delta);
    }

    @Override
    public long getAndBitwiseOr(int target, long offset, long bits) {
        return memory(target, "getAndBitwiseOr", offset).getAndBitwiseOr(offset, bits);
    }

    @Override
    public long getAndSet(int target, long offset, long value) {
        return memory(target, "getAndSet", offset).getAndSet(offset, value);
    }

    @Override
    public void flush(int target) {
        memory(target, "flush", FabricException.WHOLE_SEGMENT).fullFence();
    }

    @Override
    public void flush() {
        segments.refuseIfClosed(segments.rank, FabricException.WHOLE_SEGMENT);
        VarHandle.fullFence();
    }

    @Override
    public Batch batch() {
        return batches.value().emptied();
    }

    @Override
    public ImmediateBatch newBatch(long bufferBytes) {
        return segments.batch(bufferBytes);
    }

    @Override
    public @Nullable LocalMemory mapped(int target) {
        return segments.memories[target];
    }

    @Override
    public boolean mapsEverySegment() {
        return true;
    }

    @Override
    public void whenRemapped(IntConsumer listener) {
        listeners.add(listener);
    }

    @Override
    public LocalMemory local() {
        memory(segments.rank, "local", FabricException.WHOLE_SEGMENT);
        return own;
    }

    @Override
    public StructureLocator structures() {
        return segments.structures;
    }

    @Override
    public Clock clock() {
        return Clock.SYSTEM;
    }

    /** Leaves the mappings to the attachment, which owns them. */
    @Override
    public void close() {
        for (SharedMemoryFabric fabric : everyFabric()) {
            fabric.segments.closed = true;
            for (int target = 0; target < size(); target++) {
                fabric.map(target, null);
            }
        }
    }
}
