package io.atoll.queue;

import io.atoll.codec.Codec;
import io.atoll.completion.PolledCompletions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.world.Handle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A queue whose pushes and pops are asynchronous, of one element each. Several are under way together. */
final class AsyncQueueClient {

    private static final int MOST = 64;

    private final RingQueue queue;
    private final PolledCompletions polled;
    private final AsyncCircularQueue<Long> async;

    /** @param rank whose thread uses it */
    AsyncQueueClient(SimRank rank, RingQueue queue) {
        this.queue = queue;
        this.polled = PolledCompletions.ofThreads(MOST, (count, thread) -> rank.inParallel(count, thread::accept));
        this.async = new CircularQueue<>("queue", queue.codec(), new Handle<>(queue::tickets))
                .async(polled.completions());
    }

    static AsyncQueueClient open(SimRank rank, Codec<Long> codec) {
        return new AsyncQueueClient(rank, QueueWorld.open(rank, codec));
    }

    CompletableFuture<List<Long>> submit(QueueOperation operation) {
        return switch (operation.kind()) {
            case PUSH -> async.push(operation.elements().getFirst())
                    .thenApply(isPushed -> isPushed ? QueueOperation.PUSHED : QueueOperation.FULL)
                    .toCompletableFuture();
            case POP -> async.pop().thenApply(AsyncQueueClient::listed).toCompletableFuture();
            case MOVE -> CompletableFuture.completedFuture(QueueWorld.perform(queue, operation));
            case DROP -> throw new IllegalArgumentException("nobody calls this: operation=" + operation);
        };
    }

    private static List<Long> listed(@Nullable Long popped) {
        return popped == null ? QueueOperation.EMPTY : List.of(popped);
    }

    /** Submits all of them, and waits for all. Then throws the failure of one, if there was one. */
    List<List<Long>> performAll(List<QueueOperation> operations) {
        return performAll(operations, _ -> {});
    }

    /** @param results receives each result, also if other operations fail */
    List<List<Long>> performAll(List<QueueOperation> operations, Consumer<List<Long>> results) {
        return polled.results(operations.stream().map(this::submit).toList(), results);
    }

    /** Waits until nothing is under way. */
    void finish() {
        polled.finish();
    }
}
