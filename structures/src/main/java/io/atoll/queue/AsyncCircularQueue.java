package io.atoll.queue;

import io.atoll.completion.Completions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A {@link CircularQueue} whose operations return at once, and complete their stages later; {@link Completions} says
 * when. A virtual thread does each operation; one of them does all pushes that wait, as one push of several elements,
 * and one all pops. So they share their round trips, and do not compete for the ends of the queue. Pushes that are
 * under way together push in any order. On a queue that this process reaches by loads and stores, an operation is done
 * when the call returns.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 *
 * @param <T> the elements
 */
public final class AsyncCircularQueue<T> {

    private final CircularQueue<T> queue;
    private final Completions completions;
    private final Combiner<T> pushes;
    private final Combiner<T> pops;

    AsyncCircularQueue(CircularQueue<T> queue, Completions completions) {
        this.queue = queue;
        this.completions = completions;
        this.pushes = new Combiner<>(Math.min(completions.most(), queue.maxBatchSize()), this::push);
        this.pops = new Combiner<>(Math.min(completions.most(), queue.maxBatchSize()), this::pop);
    }

    /** @see CircularQueue#push(Object) */
    public CompletionStage<Boolean> push(T element) {
        Objects.requireNonNull(element, "element");
        RingChainQueue tickets = queue.opened();
        if (tickets.isReachedAtOnce()) {
            return completions.submitted(() -> queue.push(element));
        }
        Combiner.Request<T> request = new Combiner.Request<>(element);
        return completions.submitAlone(tickets.endpoint(), () -> {
            pushes.carryOut(request);
            return request.isTrue;
        });
    }

    /** Pushes all of them, or one by one what there is room for. */
    private void push(List<Combiner.Request<T>> requests) {
        List<T> elements = requests.stream().map(request -> Objects.requireNonNull(request.argument)).toList();
        if (queue.pushIfThereIsRoom(elements)) {
            requests.forEach(request -> request.isTrue = true);
        } else {
            for (Combiner.Request<T> request : requests) {
                request.carryOut(() -> request.isTrue = queue.push(Objects.requireNonNull(request.argument)));
            }
        }
    }

    /** @see CircularQueue#pop() */
    public CompletionStage<@Nullable T> pop() {
        RingChainQueue tickets = queue.opened();
        if (tickets.isReachedAtOnce()) {
            return completions.submitted(queue::pop);
        }
        Combiner.Request<T> request = new Combiner.Request<>(null);
        return completions.submitAlone(tickets.endpoint(), () -> {
            pops.carryOut(request);
            return request.result;
        });
    }

    /**
     * Pops as often as there is something. A pop that fails takes nothing from those that have an element, and neither
     * does an element that cannot be decoded.
     */
    private void pop(List<Combiner.Request<T>> requests) {
        List<Combiner.Request<T>> left = requests;
        while (!left.isEmpty()) {
            List<Combiner.Request<T>> waiting = left;
            int popped = queue.pop(waiting.size(), (element, index) -> {
                Combiner.Request<T> request = waiting.get(index);
                request.carryOut(() -> request.result = element.get());
            });
            if (popped == 0) {
                return;
            }
            left = waiting.subList(popped, waiting.size());
        }
    }

    @Override
    public String toString() {
        return "Async" + queue;
    }
}
