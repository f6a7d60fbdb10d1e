package io.atoll.completion;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import org.jspecify.annotations.Nullable;

/**
 * An operation of tests at one endpoint. It has no pin, and each round reads the first word of rank 0.
 *
 * @param <T> the type of the result
 */
abstract class OneWordOperation<T> extends Operation<T> {

    private final Endpoint endpoint;

    OneWordOperation(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    protected Endpoint endpoint() {
        return endpoint;
    }

    @Override
    protected int owner() {
        return 0;
    }

    @Override
    protected @Nullable EpochManager epochs() {
        return null;
    }

    @Override
    protected long bytes() {
        return Layouts.WORD;
    }

    @Override
    protected int atomics() {
        return 0;
    }

    @Override
    protected Step begin() {
        return Step.AGAIN;
    }

    @Override
    protected void add(Batch batch, long position) {
        batch.read(0, 0, position, Layouts.WORD);
    }
}
