package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.StructureLocator;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * A fabric over which a protocol goes wrong in one point: a mutation overrides the verb in question. For tests that
 * must fail then. Verbs to the own rank pass through here only if atomics are not coherent with the CPU.
 */
public abstract class MutatedFabric implements Fabric {

    final Fabric faithful;

    protected MutatedFabric(Fabric faithful) {
        this.faithful = faithful;
    }

    /** Returns true for the exchange that makes a piece free which was about to be. */
    protected static boolean isLastStepOfFree(long expected, long value) {
        return SlabWord.state(value) == SlabWord.FREE && SlabWord.state(expected) == SlabWord.PENDING;
    }

    @Override
    public int rank() {
        return faithful.rank();
    }

    @Override
    public int size() {
        return faithful.size();
    }

    @Override
    public Guarantees guarantees() {
        return faithful.guarantees();
    }

    @Override
    public boolean executesAtOnce(int target) {
        return faithful.executesAtOnce(target);
    }

    @Override
    public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
        faithful.read(rank, offset, target, position, bytes);
    }

    @Override
    public long readWord(int rank, long offset) {
        return faithful.readWord(rank, offset);
    }

    @Override
    public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        faithful.write(rank, offset, source, position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        faithful.writeWord(rank, offset, value);
    }

    @Override
    public long compareAndExchange(int rank, long offset, long expected, long value) {
        return faithful.compareAndExchange(rank, offset, expected, value);
    }

    @Override
    public long getAndAdd(int rank, long offset, long delta) {
        return faithful.getAndAdd(rank, offset, delta);
    }

    @Override
    public long getAndBitwiseOr(int rank, long offset, long bits) {
        return faithful.getAndBitwiseOr(rank, offset, bits);
    }

    @Override
    public void flush(int rank) {
        faithful.flush(rank);
    }

    @Override
    public void flush() {
        faithful.flush();
    }

    @Override
    public Batch batch() {
        return faithful.batch();
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return faithful.newBatch(bufferBytes);
    }

    @Override
    public LocalMemory local() {
        return faithful.local();
    }

    @Override
    public StructureLocator structures() {
        return faithful.structures();
    }

    @Override
    public Clock clock() {
        return faithful.clock();
    }

    @Override
    public void close() {
        faithful.close();
    }
}
