package io.atoll.queue;

import io.atoll.codec.Codec;
import io.atoll.completion.Combiner;
import io.atoll.completion.Request;
import io.atoll.fabric.Endpoint;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous pop.
 *
 * @param <T> the elements
 */
final class PopRequest<T> extends Request<@Nullable T> {

    private final QueueCombiners<T> combiners;
    private final Codec<T> codec;

    PopRequest(QueueCombiners<T> combiners, Codec<T> codec) {
        this.combiners = combiners;
        this.codec = codec;
    }

    @Override
    protected Endpoint endpoint() {
        return combiners.queue().endpoint();
    }

    @Override
    protected Combiner<?> combiner() {
        return combiners.pops();
    }

    /** Answers with an element that was taken. One that cannot be decoded fails this pop alone. */
    void take(MemorySegment buffer, long position) {
        try {
            answer(codec.decode(buffer, position));
        } catch (RuntimeException | Error unread) {
            refuse(unread);
        }
    }
}
