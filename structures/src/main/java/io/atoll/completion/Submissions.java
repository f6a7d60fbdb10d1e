package io.atoll.completion;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue of submissions. To add one takes no memory, since each leads to its neighbour. So no error can come between
 * the place that a submission has left and the next one. A submission is in one queue at a time.
 * <pre>
 *   add ---> added:  last -> ... -> first added        a stack, which is taken as a whole
 *                                       |  turned round, when there is no first one
 *   poll <-- first:  first -> ... -> last
 * </pre>
 * Any thread may add, which is lock-free. Threads that poll take turns.
 *
 * @param <S> the submissions
 */
final class Submissions<S extends Submission<?>> {

    // A submission may come back while a thread tries to add another before it. Then it is the top again, and the
    // exchange is right to take place.
    private final AtomicReference<@Nullable Submission<?>> added = new AtomicReference<>();

    private volatile @Nullable Submission<?> first; // written by the thread that polls

    /** Allocates nothing. */
    void add(S submission) {
        Submission<?> before = added.get();
        submission.neighbour = before;
        while (!added.compareAndSet(before, submission)) {
            before = added.get();
            submission.neighbour = before;
        }
    }

    /** Returns the first one and removes it, or returns null. Allocates nothing. */
    @SuppressWarnings("unchecked") // only such were added
    synchronized @Nullable S poll() {
        Submission<?> polled = first;
        if (polled == null) {
            polled = turnedRound(added.getAndSet(null));
        }
        if (polled != null) {
            first = polled.neighbour;
            polled.neighbour = null;
        }
        return (S) polled;
    }

    private static @Nullable Submission<?> turnedRound(@Nullable Submission<?> last) {
        Submission<?> turned = null;
        Submission<?> left = last;
        while (left != null) {
            Submission<?> next = left.neighbour;
            left.neighbour = turned;
            turned = left;
            left = next;
        }
        return turned;
    }

    /** Returns true if there is none, but for those that a thread that polls now may have in its hands. */
    boolean isEmpty() {
        return added.get() == null && first == null;
    }
}
