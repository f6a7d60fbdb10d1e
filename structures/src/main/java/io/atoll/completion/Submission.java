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

    /** Tells those who wait for it. */
    final void complete() {
        Completion<T> told = Objects.requireNonNull(completion);
        if (failure == null) {
            told.complete(result);
        } else {
            told.completeExceptionally(failure);
        }
    }
}
