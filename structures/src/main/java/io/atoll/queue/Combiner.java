package io.atoll.queue;

import io.atoll.memory.StackRoom;
import io.atoll.memory.StackSafeLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out requests of several threads together. The thread that has the lock takes all requests that wait, at most
 * a certain number, and the others find theirs done. See Hendler et al., Flat Combining, SPAA 2010.
 *
 * @param <E> what a request is about
 */
final class Combiner<E> {

    /** A request of one thread. */
    static final class Request<E> {

        final @Nullable E argument;
        @Nullable E result;
        boolean isTrue;
        private boolean isDone; // written and read under the lock
        private @Nullable Throwable failure;

        Request(@Nullable E argument) {
            this.argument = argument;
        }

        /** Carries this request out, whatever becomes of those that were taken with it. Its failure is its own. */
        void carryOut(Runnable step) {
            isDone = true;
            try {
                step.run();
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
        }
    }

    private final int most;
    private final Consumer<List<Request<E>>> carrying;
    private final Queue<Request<E>> waiting = new ConcurrentLinkedQueue<>();
    private final StackSafeLock lock = new StackSafeLock();

    /** @param carrying carries out at most so many requests; if it fails, those that are not done have failed */
    Combiner(int most, Consumer<List<Request<E>>> carrying) {
        this.most = most;
        this.carrying = carrying;
    }

    /** Returns when the request is done. */
    void carryOut(Request<E> request) {
        StackRoom.require(); // first: others carry out a request that waits, even if its thread has failed
        waiting.add(request);
        lock.lock();
        try {
            while (!request.isDone) {
                carryOutSome();
            }
        } finally {
            lock.unlock();
        }
        if (request.failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (request.failure instanceof Error error) {
            throw error;
        }
    }

    private void carryOutSome() {
        List<Request<E>> taken = new ArrayList<>();
        Throwable failure = null;
        try {
            while (taken.size() < most && !waiting.isEmpty()) {
                taken.add(waiting.element());
                waiting.remove(); // last: after an error the request still waits
            }
            carrying.accept(taken);
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
        }
        for (Request<E> one : taken) {
            if (!one.isDone) {
                one.failure = failure;
                one.isDone = true;
            }
        }
    }
}
