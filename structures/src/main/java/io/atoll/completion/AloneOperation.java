package io.atoll.completion;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation without rounds: a virtual thread does all of it.
 *
 * @param <T> the type of the result
 */
final class AloneOperation<T> extends Operation<T> {

    private final Endpoint endpoint;
    private final Supplier<? extends @Nullable T> action;

    AloneOperation(Endpoint endpoint, Supplier<? extends @Nullable T> action) {
        this.endpoint = endpoint;
        this.action = action;
    }

    @Override
    protected Endpoint endpoint() {
        return endpoint;
    }

    @Override
    protected int owner() {
        throw noRound();
    }

    @Override
    protected @Nullable EpochManager epochs() {
        return null;
    }

    @Override
    protected long bytes() {
        throw noRound();
    }

    @Override
    protected int atomics() {
        throw noRound();
    }

    @Override
    protected Step begin() {
        return Step.ALONE;
    }

    @Override
    protected void add(Batch batch, long position) {
        throw noRound();
    }

    @Override
    protected Step take(Batch batch, long position) {
        throw noRound();
    }

    @Override
    protected @Nullable T result() {
        throw noRound();
    }

    @Override
    protected @Nullable T alone() {
        return action.get();
    }

    private static AssertionError noRound() {
        return new AssertionError("it has no round");
    }
}
