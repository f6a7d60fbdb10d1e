package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;

/** Frames that are laid out, but not yet taken by the socket. Used under the lane's lock. */
final class Outbox {

    private static final int BYTES = 2 * Frame.MAXIMUM_BYTES;

    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private int end;
    private long addedBytes;

    /** @param allocator of memory that lives as long as the outbox is used */
    Outbox(SegmentAllocator allocator) {
        this.memory = allocator.allocate(BYTES, Long.BYTES);
        this.bytes = memory.asByteBuffer().limit(0);
    }

    boolean hasRoomFor(int frameBytes) {
        if (end + frameBytes > BYTES) {
            moveToFront();
        }
        return end + frameBytes <= BYTES;
    }

    /**
     * Moves the unsent bytes to the front. Moves whole words only: a frame begins with a whole word, but the socket may
     * have taken a part of one.
     */
    private void moveToFront() {
        int gone = bytes.position() & -Long.BYTES;
        if (gone > 0) {
            MemorySegment.copy(memory, gone, memory, 0, end - gone);
            bytes.position(bytes.position() - gone);
            end -= gone;
        }
    }

    /**
     * Returns the memory of the frames. The caller lays out the verbs of the next frame in it, from {@link #verbs} on.
     */
    MemorySegment memory() {
        return memory;
    }

    /** Returns where the verbs of the next frame begin. */
    long verbs() {
        return end + Frame.HEADER_BYTES;
    }

    /** Adds the frame whose verbs are laid out. */
    void add(long number, int verbs, int frameBytes, boolean isAnswerWanted) {
        memory.set(JAVA_INT, end + Frame.BYTES, frameBytes);
        memory.set(JAVA_SHORT, end + Frame.VERBS, (short) verbs);
        memory.set(JAVA_SHORT, end + Frame.FLAGS, (short) (isAnswerWanted ? Frame.ANSWER_WANTED : 0));
        memory.set(JAVA_LONG, end + Frame.NUMBER, number);
        addedBytes += frameBytes;
        end += frameBytes; // last: a frame is added completely or not at all
    }

    /** Returns how many bytes of frames were ever added. */
    long addedBytes() {
        return addedBytes;
    }

    /** Sends what the socket takes. Returns true if everything is sent. */
    boolean sendBy(Wire wire) throws IOException {
        boolean isEmpty = wire.write(bytes.limit(end));
        if (isEmpty) {
            bytes.position(0).limit(0);
            end = 0;
        }
        return isEmpty;
    }
}
