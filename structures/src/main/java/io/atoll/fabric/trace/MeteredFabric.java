package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.PerThread;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the verbs that cross a fabric, and times some of them. A verb crosses the fabric if the segment is not mapped
 * into this process. On a mapped segment a verb is a load or a store of the CPU, and is not counted. A verb counts when
 * it is used, even if it fails. It is counted by its kind, and by the rank that it goes to.
 */
public final class MeteredFabric extends ForwardingFabric {

    private final Crossings crossings;
    private final PerThread<MeteredBatch> batches;

    private MeteredFabric(Fabric wrapped, VerbCounts counts) {
        Crossings counted = new Crossings(counts, wrapped.guarantees().guardsAtOwner(), wrapped.rank(),
                wrapped.size());
        super(wrapped);
        this.crossings = counted;
        // The threads' values must not refer to this object.
        this.batches = new PerThread<>(() -> new MeteredBatch(counted));
        wrapped.whenRemapped(this::remap);
        for (int target = 0; target < wrapped.size(); target++) {
            remap(target);
        }
    }

    /** Returns a fabric that counts its verbs. Returns the fabric itself if no verb can ever cross it. */
    public static Fabric around(Fabric fabric, VerbCounts counts) {
        return fabric.mapsEverySegment() ? fabric : new MeteredFabric(fabric, counts);
    }

    private synchronized void remap(int target) {
        crossings.map(target, wrapped().mapped(target) != null);
    }

    /** Counts the flush of all ranks as a single flush of another rank's segment. */
    @Override
    protected long before(Verb verb, int target, long offset, long bytes) {
        return verb == Verb.FLUSH && target == ALL_RANKS
                ? crossings.beginForAll(verb)
                : crossings.begin(verb, target, bytes);
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes, long began) {
        crossings.end(verb, target, began);
    }

    /** Returns false: a verb counts as one, even if the fabric executes it as several. */
    @Override
    protected boolean composes() {
        return false;
    }

    @Override
    public Batch batch() {
        return batches.value().around(wrapped().batch());
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new MeteredBatch(crossings).around(wrapped().newBatch(bufferBytes));
    }

    @Override
    public @Nullable LocalMemory mapped(int target) {
        return wrapped().mapped(target);
    }

    @Override
    public Fabric mapping() {
        return wrapped().mapping();
    }

    @Override
    public void whenRemapped(IntConsumer listener) {
        wrapped().whenRemapped(listener);
    }
}
