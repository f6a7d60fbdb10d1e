package io.atoll.completion;

import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * An operation that carries out several requests, in the order of their submission. Each round answers some of them,
 * and their stages complete before the operation ends. If it fails, so do the requests that have no answer yet.
 *
 * @param <R> the requests
 */
public abstract class CombinedOperation<R extends Request<?>> extends Operation<Void> {

    private final List<R> requests;
    private int told; // requests at the beginning whose stages are, or are being, completed
    private @Nullable Combiner<R> combiner;
    private boolean isAlone;
    private boolean hasEnded;

    protected CombinedOperation(List<R> requests) {
        this.requests = requests;
    }

    /** Returns the requests that have no answer yet. */
    protected final List<R> left() {
        int first = told;
        while (first < requests.size() && requests.get(first).isAnswered()) {
            first++;
        }
        return requests.subList(first, requests.size());
    }

    /** Carries out what is left, and waits as often as it must. */
    protected abstract void aloneWithLeft();

    @Override
    protected final @Nullable Void alone() {
        aloneWithLeft();
        return null;
    }

    @Override
    protected final @Nullable Void result() {
        return null;
    }

    final void madeBy(Combiner<R> its) {
        combiner = its;
    }

    @Override
    final int requests() {
        return requests.size() - told;
    }

    @Override
    final void handAnswered(Queue<Submission<?>> done) {
        while (told < requests.size() && requests.get(told).isAnswered()) {
            done.add(requests.get(told));
            told++; // last: after an error, another call goes on here
        }
    }

    @Override
    final void goesAlone() {
        if (!isAlone) {
            isAlone = true;
            Objects.requireNonNull(combiner).goesAlone();
        }
    }

    @Override
    final void hand(Queue<Submission<?>> done) {
        if (failure() != null) {
            left().forEach(request -> request.refuse(failure()));
        }
        handAnswered(done);
        assert told == requests.size() : "it has answered no more than " + told + " requests: operation=" + this;
        if (!hasEnded) {
            hasEnded = true;
            Objects.requireNonNull(combiner).ended(isAlone);
        }
    }
}
