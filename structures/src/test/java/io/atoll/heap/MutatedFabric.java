package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;

/**
 * A fabric over which a protocol goes wrong in one point: a mutation overrides the verb in question. For tests that
 * must fail then. Verbs to the own rank pass through here only if atomics are not coherent with the CPU.
 */
public abstract class MutatedFabric extends ForwardingFabric {

    protected MutatedFabric(Fabric faithful) {
        super(faithful);
    }

    final Fabric faithful() {
        return wrapped();
    }

    @Override
    public Batch batch() {
        return wrapped().batch();
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return wrapped().newBatch(bufferBytes);
    }
}
