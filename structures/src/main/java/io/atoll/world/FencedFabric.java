package io.atoll.world;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.fabric.PerThread;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.Verb;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.memory.LocalMemory;

/**
 * Replaces the fabric of a process that must not take part any more. Every verb fails with the reason, also on the
 * process's own segment. No segment is mapped, so no access bypasses it.
 */
final class FencedFabric extends ForwardingFabric {

    private final LocalMemory local;
    private final JoinRefusedException reason;
    private final ImmediateBatch.Segments refusing;
    private final PerThread<ImmediateBatch> batches;

    FencedFabric(Fabric former, JoinRefusedException reason) {
        super(former);
        this.local = former.local();
        this.reason = reason;
        ImmediateBatch.Segments none = refusing(reason, former.structures());
        this.refusing = none;
        this.batches = new PerThread<>(() -> ImmediateBatch.ofThread(none));
    }

    /** Captures nothing of this fabric: the value of a {@link PerThread} must not lead back to it. */
    private static ImmediateBatch.Segments refusing(JoinRefusedException reason, StructureLocator structures) {
        return (rank, offset) -> {
            throw fenced(reason, structures, "batch", rank, offset);
        };
    }

    private static FabricException fenced(JoinRefusedException reason, StructureLocator structures, String verb,
            int rank, long offset) {
        return new FencedException(reason, verb, rank, offset).in(structures.find(rank, offset));
    }

    @Override
    protected long before(Verb verb, int target, long offset, long bytes) {
        throw fenced(reason, structures(), verb.methodName(), target == ALL_RANKS ? rank() : target, offset);
    }

    /** Returns false: the failure names the verb that the caller has used. */
    @Override
    protected boolean composes() {
        return false;
    }

    /** The batch's verbs fail, since only a verb knows what it is for. */
    @Override
    public Batch batch() {
        return batches.value().emptied();
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
}
