package io.atoll.completion;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operation that carries out several requests, in the order of their submission. Each round answers some of them,
 * and their stages complete before the operation ends. If it fails, so do the requests that have no answer yet.
 *
 * @param <R> the requests
 */
public abstract class CombinedOperation<R extends Request<?>> extends Operation<Void> {

    private final Request<?>[] requests; // of type R
    private int count;
    private int answered; // requests at the beginning that have an answer, as far as was looked
    private int told; // requests at the beginning whose stages are, or are being, completed
    private @Nullable Combiner<R> combiner;
    private boolean isAlone;

    /** @param most how many requests it carries out at most; it gets them before it begins */
    protected CombinedOperation(int most) {
        this.requests = new Request<?>[most];
    }

    /** Returns how many requests have no answer yet. */
    protected final int left() {
        while (answered < count && requests[answered].isAnswered()) {
            answered++;
        }
        return count - answered;
    }

    /** Returns a request that has no answer yet. They are answered in their order, so the next one is at 0 then. */
    @SuppressWarnings("unchecked") // only such are carried out
    protected final R left(int index) {
        left();
        return (R) requests[answered + index];
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

    /** Receives a request. Allocates nothing for as many as it was made for. */
    final void carryOut(R request) {
        requests[count++] = request;
    }

    @Override
    final int requests() {
        return count - told;
    }

    @Override
    final void handAnswered(Submissions<Submission<?>> done) {
        for (int end = count - left(); told < end; told++) {
            done.add(requests[told]);
        }
    }

    @Override
    final void goAlone(Submissions<Operation<?>> mayWait) {
        isAlone = true;
        addIfAny(Objects.requireNonNull(combiner).goesAlone(this), mayWait);
    }

    @Override
    final void hand(Submissions<Submission<?>> done, Submissions<Operation<?>> mayWait) {
        Throwable failure = failure();
        while (failure != null && left() > 0) {
            left(0).refuse(failure);
        }
        handAnswered(done);
        assert told == count : "it has answered no more than " + told + " requests: operation=" + this;
        addIfAny(Objects.requireNonNull(combiner).ended(isAlone), mayWait);
    }

    private static void addIfAny(@Nullable Operation<?> operation, Submissions<Operation<?>> mayWait) {
        if (operation != null) {
            mayWait.add(operation);
        }
    }
}
