package io.atoll.completion;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Gathers requests of one kind, and lets operations carry out several of them together. What gathers while as many
 * operations are under way as may be goes into the next one. See Hendler et al., Flat Combining, SPAA 2010. It belongs
 * to one {@link Completions}, and is used under its lock, except where operations end.
 *
 * @param <R> the requests
 */
public final class Combiner<R extends Request<?>> {

    private final int most;
    private final int mostOperations;
    private final Function<List<R>, CombinedOperation<R>> operations;
    private final Deque<R> gathered = new ArrayDeque<>();
    private final AtomicInteger underWay = new AtomicInteger(); // operations
    private final AtomicInteger alone = new AtomicInteger(); // those of them that have no rounds

    /**
     * @param most how many requests one operation carries out at most
     * @param mostOperations how many operations are under way together at most. While one of them waits in a thread of
     * its own, no other begins
     * @param operations makes an operation of requests, in the order of their submission; it neither waits nor fails
     */
    public Combiner(int most, int mostOperations, Function<List<R>, CombinedOperation<R>> operations) {
        this.most = most;
        this.mostOperations = mostOperations;
        this.operations = operations;
    }

    @SuppressWarnings("unchecked") // a request says which combiner it is for
    void gather(Request<?> request) {
        gathered.add((R) request);
    }

    boolean isEmpty() {
        return gathered.isEmpty();
    }

    /** Returns true if another operation may begin. */
    boolean isDue() {
        return !gathered.isEmpty() && underWay.get() < mostOperations && alone.get() == 0;
    }

    /** Returns an operation for the first requests. They stay here until it {@link #begins}: there may be no memory. */
    CombinedOperation<R> next() {
        CombinedOperation<R> operation = operations.apply(gathered.stream().limit(most).toList());
        operation.madeBy(this);
        return operation;
    }

    /** The operation has its requests from now on. */
    void begins(CombinedOperation<?> operation) {
        for (int request = 0; request < operation.requests(); request++) {
            gathered.remove();
        }
        underWay.incrementAndGet();
    }

    /** An operation goes on without rounds. */
    void goesAlone() {
        alone.incrementAndGet();
    }

    /** Any thread calls this when an operation has ended. */
    void ended(boolean wasAlone) {
        if (wasAlone) {
            alone.decrementAndGet();
        }
        underWay.decrementAndGet();
    }
}
