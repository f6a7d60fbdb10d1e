package io.atoll.world;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Replaces the fabric of a process that must not take part any more. Every verb fails with the reason, also on the
 * process's own segment. No segment is mapped, so no access bypasses it.
 */
final class FencedFabric implements Fabric {

    private final Fabric former;
    private final LocalMemory local;
    private final JoinRefusedException reason;
    private final ImmediateBatch.Segments refusing;
    private final ThreadLocal<ImmediateBatch> batches;

    FencedFabric(Fabric former, JoinRefusedException reason) {
        this.former = former;
        this.local = former.local();
        this.reason = reason;
        ImmediateBatch.Segments none = refusing(reason, former.structures());
        this.refusing = none;
        this.batches = ThreadLocal.withInitial(() -> ImmediateBatch.ofThread(none));
    }

    /**
     * Captures nothing of this fabric: a thread-local batch that led back to its own thread-local would stay with the
     * thread for good.
     */
    private static ImmediateBatch.Segments refusing(JoinRefusedException reason, StructureLocator structures) {
        return (rank, offset) -> {
            throw fenced(reason, structures, "batch", rank, offset);
        };
    }

    private static FabricException fenced(JoinRefusedException reason, StructureLocator structures, String verb,
            int rank, long offset) {
        return new FencedException(reason, verb, rank, offset).in(structures.find(rank, offset));
    }

    private FabricException fenced(String verb, int rank, long offset) {
        return fenced(reason, structures(), verb, rank, offset);
    }

    private FabricException fenced(String verb) {
        return fenced(verb, rank(), FabricException.WHOLE_SEGMENT);
    }

    @Override
    public int rank() {
        return former.rank();
    }

    @Override
    public int size() {
        return former.size();
    }

    @Override
    public Guarantees guarantees() {
        return former.guarantees();
    }

    @Override
    public boolean executesAtOnce(int target) {
        return former.executesAtOnce(target);
    }

    @Override
    public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
        throw fenced("read", rank, offset);
    }

    @Override
    public long readWord(int rank, long offset) {
        throw fenced("read", rank, offset);
    }

    @Override
    public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        throw fenced("write", rank, offset);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        throw fenced("write", rank, offset);
    }

    @Override
    public long compareAndExchange(int rank, long offset, long expected, long value) {
        throw fenced("compareAndExchange", rank, offset);
    }

    @Override
    public long getAndAdd(int rank, long offset, long delta) {
        throw fenced("getAndAdd", rank, offset);
    }

    @Override
    public long getAndBitwiseOr(int rank, long offset, long bits) {
        throw fenced("getAndBitwiseOr", rank, offset);
    }

    @Override
    public long getAndSet(int rank, long offset, long value) {
        throw fenced("getAndSet", rank, offset);
    }

    @Override
    public void flush(int rank) {
        throw fenced("flush", rank, FabricException.WHOLE_SEGMENT);
    }

    @Override
    public void flush() {
        throw fenced("flush");
    }

    /** The batch's verbs fail, since only a verb knows what it is for. */
    @Override
    public Batch batch() {
        return batches.get().emptied();
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new ImmediateBatch(refusing, bufferBytes);
    }

    /** Still there, for callers that only ask for its size. */
    @Override
    public LocalMemory local() {
        return local;
    }

    @Override
    public StructureLocator structures() {
        return former.structures();
    }

    @Override
    public Clock clock() {
        return former.clock();
    }

    @Override
    public void close() {
        former.close();
    }
}
