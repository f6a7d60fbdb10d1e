package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.StructureLocator;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * A fabric that executes each verb and then waits as long as the simulated network would. It waits for a write, too,
 * since the write would arrive no earlier. It maps nothing, since loads and stores on another rank's segment would take
 * no time.
 */
final class DelayedFabric implements Fabric {

    private final Fabric wrapped;
    private final Delay delay;

    DelayedFabric(Fabric wrapped, Delay delay) {
        this.wrapped = wrapped;
        this.delay = delay;
    }

    @Override
    public int rank() {
        return wrapped.rank();
    }

    @Override
    public int size() {
        return wrapped.size();
    }

    @Override
    public Guarantees guarantees() {
        return wrapped.guarantees();
    }

    /** Returns false, as every network does, so that structures post the same verbs together here as there. */
    @Override
    public boolean executesAtOnce(int target) {
        return false;
    }

    @Override
    public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
        long due = delay.dueNanos(bytes);
        wrapped.read(rank, offset, target, position, bytes);
        Delay.await(due);
    }

    @Override
    public long readWord(int rank, long offset) {
        long due = delay.dueNanos(Long.BYTES);
        return after(wrapped.readWord(rank, offset), due);
    }

    @Override
    public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        long due = delay.dueNanos(bytes);
        wrapped.write(rank, offset, source, position, bytes);
        Delay.await(due);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        long due = delay.dueNanos(Long.BYTES);
        wrapped.writeWord(rank, offset, value);
        Delay.await(due);
    }

    @Override
    public long compareAndExchange(int rank, long offset, long expected, long value) {
        long due = delay.dueNanos(Long.BYTES);
        return after(wrapped.compareAndExchange(rank, offset, expected, value), due);
    }

    @Override
    public long getAndAdd(int rank, long offset, long delta) {
        long due = delay.dueNanos(Long.BYTES);
        return after(wrapped.getAndAdd(rank, offset, delta), due);
    }

    @Override
    public long getAndBitwiseOr(int rank, long offset, long bits) {
        if (!guarantees().fetchOr()) {
            return Fabric.super.getAndBitwiseOr(rank, offset, bits); // verb by verb
        }
        long due = delay.dueNanos(Long.BYTES);
        return after(wrapped.getAndBitwiseOr(rank, offset, bits), due);
    }

    @Override
    public long getAndSet(int rank, long offset, long value) {
        if (!guarantees().fetchOr()) {
            return Fabric.super.getAndSet(rank, offset, value); // verb by verb
        }
        long due = delay.dueNanos(Long.BYTES);
        return after(wrapped.getAndSet(rank, offset, value), due);
    }

    private static long after(long answer, long dueNanos) {
        Delay.await(dueNanos);
        return answer;
    }

    /** Adds no delay: the writes have already waited for the time of a flush. */
    @Override
    public void flush(int rank) {
        wrapped.flush(rank);
    }

    @Override
    public void flush() {
        wrapped.flush();
    }

    @Override
    public Batch batch() {
        return new DelayedBatch(wrapped.batch(), delay);
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new DelayedBatch(wrapped.newBatch(bufferBytes), delay);
    }

    @Override
    public LocalMemory local() {
        return wrapped.local();
    }

    @Override
    public StructureLocator structures() {
        return wrapped.structures();
    }

    @Override
    public Clock clock() {
        return wrapped.clock();
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
