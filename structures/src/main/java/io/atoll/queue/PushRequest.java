package io.atoll.queue;

import io.atoll.completion.Combiner;
import io.atoll.completion.Request;
import io.atoll.fabric.Endpoint;
import java.lang.foreign.MemorySegment;

/** An asynchronous push of one element, which is encoded already. */
final class PushRequest extends Request<Boolean> {

    private final AsyncLanes<?> lanes;
    private final MemorySegment element;

    PushRequest(AsyncLanes<?> lanes, MemorySegment element) {
        this.lanes = lanes;
        this.element = element;
    }

    @Override
    protected Endpoint endpoint() {
        return lanes.queue().endpoint();
    }

    @Override
    protected Combiner<?> combiner() {
        return lanes.pushes();
    }

    void place(MemorySegment buffer, long position) {
        MemorySegment.copy(element, 0, buffer, position, element.byteSize());
    }
}
