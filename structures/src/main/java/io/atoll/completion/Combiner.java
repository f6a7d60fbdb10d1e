package io.atoll.completion;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers requests of one kind, and makes operations that carry out several of them together. While the greatest number
 * of operations is under way, requests gather, and go into the next operation. See Hendler et al., Flat Combining, SPAA
 * 2010. It belongs to one {@link Completions}, and is used under its lock, except where operations end.
 *
 * <p>Operations that go on without rounds do so one at a time. The others wait {@code aside}, and no further operation
 * begins. An operation that waits aside must keep nothing that the one before it may wait for.
 *
 * @param <R> the requests
 */
public final class Combiner<R extends Request<?>> {

    private final int most;
    private final int mostOperations;
    private final IntFunction<CombinedOperation<R>> operations;
    private final Submissions<R> gathered = new Submissions<>();
    private final AtomicInteger underWay = new AtomicInteger(); // operations
    private final AtomicInteger alone = new AtomicInteger(); // of these without rounds: one runs, others are aside
    private final Submissions<CombinedOperation<R>> aside = new Submissions<>();

    /**
     * @param most how many requests one operation carries out at most
     * @param mostOperations how many operations are under way together at most
     * @param operations makes an operation for at most so many requests; it neither waits nor fails
     */
    public Combiner(int most, int mostOperations, IntFunction<CombinedOperation<R>> operations) {
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

    /** Returns an operation that has the first requests. If there is no memory for it, they stay here. */
    CombinedOperation<R> next() {
        CombinedOperation<R> operation = operations.apply(most);
        operation.madeBy(this);
        for (int request = 0; request < most && !gathered.isEmpty(); request++) {
            operation.carryOut(Objects.requireNonNull(gathered.poll()));
        }
        underWay.incrementAndGet();
        return operation;
    }

    /** An operation goes on without rounds. Returns one that does so now, or null if another has to end before. */
    @Nullable CombinedOperation<R> goesAlone(CombinedOperation<R> operation) {
        aside.add(operation); // before it counts: who ends finds as many as count
        return alone.getAndIncrement() == 0 ? aside.poll() : null;
    }

    /** Any thread calls this when an operation has ended. Returns one that goes on without rounds now, or null. */
    @Nullable CombinedOperation<R> ended(boolean wasAlone) {
        underWay.decrementAndGet();
        return wasAlone && alone.decrementAndGet() > 0 ? aside.poll() : null;
    }
}
