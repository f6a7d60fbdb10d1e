package io.atoll.queue;

import io.atoll.completion.Combiner;
import io.atoll.fabric.Batch;

/**
 * What the asynchronous operations on a queue that was opened share: pushes and pops are combined, each with their
 * like, and several batches of each kind are under way together.
 *
 * @param <T> the elements
 */
final class AsyncLanes<T> {

    /**
     * As many batches take all that may be under way, if each is sent when a quarter has gathered. A rank has twice as
     * many announcements of pushes, so that others have some, too, unless several completions push together.
     */
    private static final int BATCHES = QueueBlock.PUSHES / 2;

    private final RingChainQueue queue;
    private final Combiner<PushRequest> pushes;
    private final Combiner<PopRequest<T>> pops;

    AsyncLanes(RingChainQueue queue) {
        this.queue = queue;
        int most = Math.min(Batch.ATOMICS, queue.maxBatchSize());
        Guess tails = new Guess(queue.pushing().tail);
        Guess heads = new Guess(queue.popping().head);
        this.pushes = new Combiner<>(most, BATCHES, size -> new PushOperation(queue, tails, size));
        this.pops = new Combiner<>(most, BATCHES, size -> new PopOperation<>(queue, heads, tails, size));
    }

    RingChainQueue queue() {
        return queue;
    }

    Combiner<PushRequest> pushes() {
        return pushes;
    }

    Combiner<PopRequest<T>> pops() {
        return pops;
    }
}
