package io.atoll.queue;

import io.atoll.completion.Combiner;
import io.atoll.completion.Request;
import io.atoll.fabric.Endpoint;
import java.lang.foreign.MemorySegment;

/** An asynchronous push of one element, which is encoded already. */
final class PushRequest extends Request<Boolean> {

    private final QueueCombiners<?> combiners;
    private final MemorySegment element;

    PushRequest(QueueCombiners<?> combiners, MemorySegment element) {
        this.combiners = combiners;
        this.element = element;
    }

    @Override
    protected Endpoint endpoint() {
        return combiners.queue().endpoint();
    }

    @Override
    protected Combiner<?> combiner() {
        return combiners.pushes();
    }

    void place(MemorySegment buffer, long position) {
        MemorySegment.copy(element, 0, buffer, position, element.byteSize());
    }
}
