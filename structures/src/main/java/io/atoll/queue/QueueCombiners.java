package io.atoll.queue;

import io.atoll.completion.Combiner;
import io.atoll.fabric.Batch;

/**
 * Combines the asynchronous operations on a queue that was opened: pushes with pushes, and pops with pops. Several
 * batches of each kind are under way at a time.
 *
 * @param <T> the elements
 */
final class QueueCombiners<T> {

    /**
     * {@link io.atoll.completion.Completions} sends a batch when a quarter of its bound has gathered. So four batches
     * carry all operations that may be under way. A rank has announcements for eight pushes, so some are left for other
     * threads.
     */
    private static final int BATCHES = QueueBlock.PUSHES / 2;

    private final RingChainQueue queue;
    private final Combiner<PushRequest> pushes;
    private final Combiner<PopRequest<T>> pops;

    QueueCombiners(RingChainQueue queue) {
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
