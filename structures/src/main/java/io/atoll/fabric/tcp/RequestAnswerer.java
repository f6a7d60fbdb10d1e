package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads, executes and answers the requests of one connection, at the owner, in their order. {@link AcceptedConnection}
 * says which thread does so. The owner answers with one write what has come with one read. It never queues answers:
 * while the other side does not read them, the owner reads nothing more from it. For one thread at a time.
 *
 * <p>Many connections may use the same buffers in turn. In between, each keeps the incomplete request and the answers
 * that were not sent.
 */
final class RequestAnswerer {

    private static final int LEAST_KEPT_BYTES = 256;

    private final Wire wire;
    private final FrameExecutor executor;
    private int at; // where the next request begins in the buffer
    private boolean sending; // true while answers are not completely sent
    private long lastNumber;
    private ByteBuffer keptRequests = ByteBuffer.allocate(0); // ready to be read from
    private ByteBuffer keptAnswers = ByteBuffer.allocate(0);

    RequestAnswerer(Wire wire, LocalMemory segment) {
        this.wire = wire;
        this.executor = new FrameExecutor(segment);
    }

    /**
     * Reads once. Returns how many bytes have arrived; less than 0 at the end of the connection. A wire that decrypts
     * never withholds a whole request: the buffer always has more free bytes than the wire holds.
     */
    int read(ServingBuffers servingBuffers) throws IOException {
        return wire.read(servingBuffers.in());
    }

    /**
     * Executes as many of the arrived requests as there is room for answers, and sends the answers. Returns true if
     * everything is answered and sent. Large answers to small requests may take many calls, so that other connections
     * get their turn.
     */
    boolean answer(ServingBuffers servingBuffers) throws IOException {
        int end = servingBuffers.in().position();
        if (send(servingBuffers) && isWhole(servingBuffers, end)) {
            execute(servingBuffers, end);
            send(servingBuffers);
        }
        if (sending || isWhole(servingBuffers, end)) {
            return false;
        }
        servingBuffers.in().position(at).limit(end).compact();
        at = 0;
        return true;
    }

    private boolean send(ServingBuffers servingBuffers) throws IOException {
        if (sending) {
            sending = !wire.write(servingBuffers.out());
        }
        return !sending;
    }

    /** Executes requests as long as there is room for their answers. */
    private void execute(ServingBuffers servingBuffers, int end) throws MalformedFrameException {
        int answered = 0;
        do {
            countOn(servingBuffers.requests().get(JAVA_LONG, at + Frame.NUMBER));
            int bytes = servingBuffers.requests().get(JAVA_INT, at + Frame.BYTES);
            answered += executor.execute(servingBuffers.requests(), at, servingBuffers.answers(), answered);
            at += bytes;
        } while (answered + Frame.MAXIMUM_BYTES <= ServingBuffers.BYTES && isWhole(servingBuffers, end));
        servingBuffers.out().position(0).limit(answered);
        sending = answered > 0;
    }

    /** Returns true if a whole frame is there. */
    private boolean isWhole(ServingBuffers servingBuffers, int end) throws MalformedFrameException {
        if (end - at < Frame.HEADER_BYTES) {
            return false;
        }
        int bytes = servingBuffers.requests().get(JAVA_INT, at + Frame.BYTES);
        if (!Frame.isFrame(bytes)) {
            throw new MalformedFrameException("a request cannot have so many bytes: bytes=" + bytes);
        }
        return end - at >= bytes;
    }

    private void countOn(long number) throws MalformedFrameException {
        if (number != lastNumber + 1) {
            throw new MalformedFrameException("requests are counted: number=" + number + " last=" + lastNumber);
        }
        lastNumber = number;
    }

    // --- buffers of several connections ---

    /** Begins to use buffers that another connection has used. */
    void use(ServingBuffers servingBuffers) {
        servingBuffers.in().clear().put(keptRequests);
        servingBuffers.out().clear().put(keptAnswers).flip();
        at = 0;
    }

    /** Leaves the buffers to another connection. */
    void leave(ServingBuffers servingBuffers) {
        ByteBuffer in = servingBuffers.in();
        keptRequests = kept(keptRequests, in.limit(in.position()).position(at));
        keptAnswers = kept(keptAnswers, servingBuffers.out());
    }

    private static ByteBuffer kept(ByteBuffer before, ByteBuffer rest) {
        int bytes = rest.remaining();
        ByteBuffer place = before.capacity() >= bytes
                ? before
                : ByteBuffer.allocate(Math.max(LEAST_KEPT_BYTES, Integer.highestOneBit(2 * bytes - 1)));
        return place.clear().put(rest).flip();
    }
}
