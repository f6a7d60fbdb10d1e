package io.atoll.completion;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation that is under way, or what depends on it. A thread that waits for it polls meanwhile,
 * unless it runs a callback.
 *
 * @param <T> the type of the result
 */
final class Completion<T> extends CompletableFuture<T> {

    private final Completions completions;

    Completion(Completions completions) {
        this.completions = completions;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Completion<>(completions);
    }

    @Override
    public @Nullable T get() throws InterruptedException, ExecutionException {
        for (int attempt = 0; !isDone() && completions.isTakenFurtherHere();) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for an operation");
            }
            attempt = completions.goOn(attempt, this::isDone);
        }
        return super.get();
    }

    @Override
    public @Nullable T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long beganNanos = System.nanoTime();
        long leftNanos = unit.toNanos(timeout);
        for (int attempt = 0; !isDone() && leftNanos > 0 && completions.looks(attempt); attempt++) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for an operation");
            }
            leftNanos = unit.toNanos(timeout) - (System.nanoTime() - beganNanos);
        }
        return super.get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
    }

    @Override
    public @Nullable T join() {
        for (int attempt = 0; !isDone() && completions.isTakenFurtherHere();) {
            attempt = completions.goOn(attempt, this::isDone);
        }
        return super.join();
    }
}
