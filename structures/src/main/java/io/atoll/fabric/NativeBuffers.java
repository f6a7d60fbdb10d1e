package io.atoll.fabric;

import io.atoll.memory.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/** The buffers of all threads' own batches in this process, for verbs that are loads and stores of the CPU. */
class NativeBuffers extends BufferPool<MemorySegment> {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The buffers that threads' own batches have while they need no more. */
    static final NativeBuffers SMALL = new NativeBuffers(Batch.SMALL_BUFFER_BYTES, PAUSE);

    /** The buffers that threads' own batches have while they need more than that. */
    static final NativeBuffers WHOLE = new NativeBuffers(Batch.THREAD_BUFFER_BYTES, PAUSE);

    NativeBuffers(long bufferBytes, Duration pause) {
        super(bufferBytes, pause);
    }

    @Override
    protected final List<MemorySegment> allocate(long slabBytes, long bytes) {
        return cut(allocate(slabBytes), bytes);
    }

    MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, Layouts.CACHE_LINE);
    }
}
