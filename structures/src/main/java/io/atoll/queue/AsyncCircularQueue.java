package io.atoll.queue;

import io.atoll.completion.Completions;
import io.atoll.failure.CodecException;
import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A {@link CircularQueue} whose operations return at once, and complete their stages later; {@link Completions} says
 * when. Pushes that wait are done together, as one push of several elements, in the order of their submission. So are
 * pops. So they share their round trips, and do not compete for the ends of the queue. Over TCP up to four such
 * batches of each kind are under way together, without a thread. Elsewhere a virtual thread does one batch of a kind at
 * a time. Pushes that are under way together push in any order. On a queue that this process reaches by loads and
 * stores, an operation is done when the call returns.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 *
 * @param <T> the elements
 */
public final class AsyncCircularQueue<T> {

    private final CircularQueue<T> queue;
    private final Completions completions;

    // Plain: threads that race for it may combine their first operations apart from each other.
    private @Nullable QueueCombiners<T> present;

    AsyncCircularQueue(CircularQueue<T> queue, Completions completions) {
        this.queue = queue;
        this.completions = completions;
    }

    /** Returns the combiners for the queue as it is open now. */
    private QueueCombiners<T> combiners(RingChainQueue opened) {
        QueueCombiners<T> combiners = present;
        if (combiners == null || combiners.queue() != opened) {
            combiners = new QueueCombiners<>(opened);
            present = combiners;
        }
        return combiners;
    }

    /** @see CircularQueue#push(Object) */
    public CompletionStage<Boolean> push(T element) {
        Objects.requireNonNull(element, "element");
        if (queue.opened().isReachedAtOnce()) {
            return completions.submitted(() -> queue.push(element));
        }
        MemorySegment encoded;
        try {
            encoded = queue.encoded(element);
        } catch (CodecException refused) {
            return completions.submitted(() -> {
                throw refused;
            });
        }
        RingChainQueue tickets = QueuePromises.pushing(queue.tickets(), Promise.nothing());
        return completions.submit(new PushRequest(combiners(tickets), encoded));
    }

    /** @see CircularQueue#pop() */
    public CompletionStage<@Nullable T> pop() {
        if (queue.opened().isReachedAtOnce()) {
            return completions.submitted(queue::pop);
        }
        RingChainQueue tickets = QueuePromises.popping(queue.tickets(), Promise.nothing());
        return completions.submit(new PopRequest<>(combiners(tickets), queue.codec()));
    }

    @Override
    public String toString() {
        return "Async" + queue;
    }
}
