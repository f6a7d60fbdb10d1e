package io.atoll.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * An owner's memory for requests that have arrived and answers that are not sent yet.
 *
 * @param in the memory of the requests, to be read into
 * @param out the memory of the answers, to be written from
 */
record ServingBuffers(MemorySegment requests, MemorySegment answers, ByteBuffer in, ByteBuffer out) {

    static final int BYTES = 2 * Frame.MAXIMUM_BYTES;

    static ServingBuffers allocate(Arena arena) {
        MemorySegment requests = arena.allocate(BYTES, Long.BYTES);
        MemorySegment answers = arena.allocate(BYTES, Long.BYTES);
        return new ServingBuffers(requests, answers, requests.asByteBuffer(), answers.asByteBuffer());
    }
}
