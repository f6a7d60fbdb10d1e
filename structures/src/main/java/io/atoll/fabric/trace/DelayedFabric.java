package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Verb;

/**
 * A fabric that executes each verb and then waits as long as the simulated network would. It waits for a write, too,
 * since the write would arrive no earlier. It maps nothing, since loads and stores on another rank's segment would take
 * no time.
 */
final class DelayedFabric extends ForwardingFabric {

    private final Delay delay;

    DelayedFabric(Fabric wrapped, Delay delay) {
        super(wrapped);
        this.delay = delay;
    }

    /** Returns false, as every network does, so that structures post the same verbs together here as there. */
    @Override
    public boolean executesAtOnce(int target) {
        return false;
    }

    @Override
    protected long before(Verb verb, int target, long offset, long bytes) {
        return delay.dueNanos(bytes);
    }

    /** Adds no delay to a flush: the writes have already waited for its time. */
    @Override
    protected void after(Verb verb, int target, long offset, long bytes, long dueNanos) {
        if (verb != Verb.FLUSH) {
            Delay.await(dueNanos);
        }
    }

    @Override
    public Batch batch() {
        return new DelayedBatch(wrapped().batch(), delay);
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new DelayedBatch(wrapped().newBatch(bufferBytes), delay);
    }
}
