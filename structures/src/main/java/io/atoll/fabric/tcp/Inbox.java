package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;

/** Answers that have arrived, and the beginning of an incomplete one. Used by the leader. */
final class Inbox {

    private static final int BYTES = 2 * Frame.MAXIMUM_BYTES;

    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private int start;
    private boolean mayHaveMore;

    /** @param allocator of memory that lives as long as the inbox is used */
    Inbox(SegmentAllocator allocator) {
        this.memory = allocator.allocate(BYTES, Long.BYTES);
        this.bytes = memory.asByteBuffer();
    }

    /** Receives answers. */
    interface Taking {

        /** @param at where the answer begins in the memory */
        void take(MemorySegment memory, int at, int frameBytes) throws IOException;
    }

    /** Reads once. Returns how many bytes have arrived. */
    int receiveBy(Wire wire) throws IOException {
        return received(bytes.remaining(), wire.read(bytes), wire);
    }

    /** Waits for something, and reads it. Returns how many bytes have arrived, or 0 if none did in time. */
    int awaitBy(WaitingWire wire) throws IOException {
        return received(bytes.remaining(), wire.await(bytes), wire);
    }

    private int received(int room, int read, Wire wire) throws EOFException {
        if (read < 0) {
            throw new EOFException("the rank has ended the connection");
        }
        mayHaveMore = read == room || wire.hasMore();
        return read;
    }

    /** Returns true if the last read may have left something. */
    boolean mayHaveMore() {
        return mayHaveMore;
    }

    /** Hands over all complete answers. */
    void takeAll(Taking taking) throws IOException {
        int end = bytes.position();
        while (end - start >= Frame.HEADER_BYTES) {
            int frameBytes = memory.get(JAVA_INT, start + Frame.BYTES);
            if (!Frame.isFrame(frameBytes)) {
                throw new MalformedFrameException("an answer cannot have so many bytes: bytes=" + frameBytes);
            }
            if (end - start < frameBytes) {
                break;
            }
            taking.take(memory, start, frameBytes);
            start += frameBytes;
        }
        makeRoom(end);
    }

    /** Makes sure that there is always room for the rest of an answer. */
    private void makeRoom(int end) {
        if (start == end) {
            bytes.clear();
            start = 0;
        } else if (end > BYTES - Frame.MAXIMUM_BYTES) {
            bytes.position(start).limit(end).compact();
            start = 0;
        }
    }
}
