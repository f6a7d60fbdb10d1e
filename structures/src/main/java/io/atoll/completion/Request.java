package io.atoll.completion;

import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link CombinedOperation}, with a stage of its own.
 *
 * @param <T> the type of the result
 */
public abstract non-sealed class Request<T> extends Submission<T> {

    private boolean isAnswered;

    /** Returns what gathers the requests that are carried out together with this one. */
    protected abstract Combiner<?> combiner();

    /** Ends it with this result. */
    public final void answer(@Nullable T result) {
        succeedWith(result);
        isAnswered = true;
    }

    /** Ends it with a failure of its own. */
    public final void refuse(Throwable reason) {
        failWith(reason);
        isAnswered = true;
    }

    final boolean isAnswered() {
        return isAnswered;
    }
}
