package io.atoll.fabric.shm;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that are the CPU's own loads, stores and atomics on mapped segments: each takes effect before its call returns, in program order, words whole.
 */
final class SharedMemoryFabric implements Fabric {

    private static final Guarantees GUARANTEES = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, Long.BYTES, true, true);

    private final int rank;
    // Null where a rank is not reachable. Plain elements: every verb begins with an acquire or a release access, so
    // a change is seen by a later verb of any thread, if not by the one under way.
    private final @Nullable MappedMemory[] memories;
    private final ThreadLocal<ImmediateBatch> batches = ThreadLocal
            .withInitial(() -> newBatch(Batch.THREAD_BUFFER_BYTES));
    private volatile boolean closed;

    SharedMemoryFabric(int rank, int size, MappedMemory own) {
        this.rank = rank;
        this.memories = new MappedMemory[size];
        memories[rank] = own;
    }

    /** Makes a rank reachable, or with null unreachable. */
    void place(int peer, @Nullable MappedMemory memory) {
        memories[peer] = memory;
        VarHandle.fullFence();
    }

    private MappedMemory memory(int target, String verb, long offset) {
        MappedMemory memory = memories[target];
        if (memory == null) {
            refuseIfClosed();
            throw new RankUnreachableException("the rank has not joined, has left or has died", verb, target, offset);
        }
        return memory;
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("this process has left its world: rank=" + rank);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return memories.length;
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
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
    public void flush(int target) {
        memory(target, "flush", 0).fullFence();
    }

    @Override
    public void flush() {
        refuseIfClosed();
        VarHandle.fullFence();
    }

    @Override
    public Batch batch() {
        return batches.get().emptied();
    }

    @Override
    public ImmediateBatch newBatch(long bufferBytes) {
        return new ImmediateBatch(target -> memory(target, "batch", 0), bufferBytes);
    }

    @Override
    public @Nullable LocalMemory mapped(int target) {
        return memories[target];
    }

    @Override
    public LocalMemory local() {
        return memory(rank, "local", 0);
    }

    @Override
    public Clock clock() {
        return Clock.SYSTEM;
    }

    /** The mappings are the attachment's. */
    @Override
    public void close() {
        closed = true;
        for (int target = 0; target < memories.length; target++) {
            place(target, null);
        }
    }
}
