package io.atoll.queue;

import io.atoll.completion.CombinedOperation;
import io.atoll.completion.Request;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous requests that go to one ring of a queue together. They take no pin.
 *
 * @param <R> the requests
 */
abstract class RingOperation<R extends Request<?>> extends CombinedOperation<R> {

    final RingChainQueue queue;
    final Ring ring;

    RingOperation(RingChainQueue queue, Ring ring, int most) {
        super(most);
        this.queue = queue;
        this.ring = ring;
    }

    @Override
    protected final Endpoint endpoint() {
        return queue.endpoint();
    }

    @Override
    protected final int owner() {
        return ring.block.host;
    }

    @Override
    protected final @Nullable EpochManager epochs() {
        return null;
    }
}
