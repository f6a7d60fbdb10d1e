package io.atoll.completion;

import io.atoll.fabric.Endpoint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a caller has submitted: an operation with rounds of its own, or a request that an operation carries out together
 * with others.
 *
 * @param <T> the type of the result
 */
abstract sealed class Submission<T> permits Operation, Request {

    /** The one before or behind it in the {@link Submissions} that it is in. They alone use it. */
    @Nullable Submission<?> neighbour;

    private @Nullable Completion<T> completion;
    private @Nullable T result;
    private @Nullable Throwable failure;

    /** Returns how the owner is reached. */
    protected abstract Endpoint endpoint();

    final void completedBy(Completion<T> stage) {
        completion = stage;
    }

    final void succeedWith(@Nullable T value) {
        result = value;
    }

    final void failWith(Throwable reason) {
        failure = reason;
    }

    final @Nullable Throwable failure() {
        return failure;
    }

    /** Returns true if those who wait for it can know. */
    final boolean isComplete() {
        return Objects.requireNonNull(completion).isDone();
    }

    /** Tells those who wait for it. If an error prevents that, another call does it. */
    final void complete() {
        Completion<T> told = Objects.requireNonNull(completion);
        if (failure == null) {
            told.complete(result);
        } else {
            told.completeExceptionally(failure);
        }
    }
}
