package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The requests of one connection, as the owner executes them in their order, and its answers. The owner answers with
 * one write what has come with one read. It never queues answers: while the other side does not read them, the owner
 * reads nothing more from it. For one thread at a time.
 *
 * <p>Many connections may use a room in turn. In between, each keeps the incomplete request and the answers that were
 * not sent.
 */
final class Exchange {

    private static final int LEAST_KEPT_BYTES = 256;

    private final Wire wire;
    private final FrameExecutor executor;
    private int at; // where the next request begins in the room
    private boolean sending; // true while answers are not completely sent
    private long lastNumber;
    private ByteBuffer keptRequests = ByteBuffer.allocate(0); // ready to be read from
    private ByteBuffer keptAnswers = ByteBuffer.allocate(0);

    Exchange(Wire wire, LocalMemory segment) {
        this.wire = wire;
        this.executor = new FrameExecutor(segment);
    }

    /**
     * Reads once. Returns false at the end of the connection. A wire that decrypts never withholds a whole request: the
     * room always has more free bytes than the wire holds.
     */
    boolean read(Room room) throws IOException {
        return wire.read(room.in()) >= 0;
    }

    /**
     * Executes as many of the arrived requests as there is room for answers, and sends the answers. Returns true if
     * everything is answered and sent. Large answers to small requests may take many calls, so that other connections
     * get their turn.
     */
    boolean answer(Room room) throws IOException {
        int end = room.in().position();
        if (send(room) && isWhole(room, end)) {
            execute(room, end);
            send(room);
        }
        if (sending || isWhole(room, end)) {
            return false;
        }
        room.in().position(at).limit(end).compact();
        at = 0;
        return true;
    }

    private boolean send(Room room) throws IOException {
        if (sending) {
            sending = !wire.write(room.out());
        }
        return !sending;
    }

    /** Executes requests as long as there is room for their answers. */
    private void execute(Room room, int end) throws MalformedFrameException {
        int answered = 0;
        do {
            countOn(room.requests().get(JAVA_LONG, at + Frame.NUMBER));
            int bytes = room.requests().get(JAVA_INT, at + Frame.BYTES);
            answered += executor.execute(room.requests(), at, room.answers(), answered);
            at += bytes;
        } while (answered + Frame.MAXIMUM_BYTES <= Room.BYTES && isWhole(room, end));
        room.out().position(0).limit(answered);
        sending = answered > 0;
    }

    /** Returns true if a whole frame is there. */
    private boolean isWhole(Room room, int end) throws MalformedFrameException {
        if (end - at < Frame.HEADER_BYTES) {
            return false;
        }
        int bytes = room.requests().get(JAVA_INT, at + Frame.BYTES);
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

    // --- room that is lent ---

    /** Begins to use a room that another connection has used. */
    void use(Room room) {
        room.in().clear().put(keptRequests);
        room.out().clear().put(keptAnswers).flip();
        at = 0;
    }

    /** Leaves the room to another connection. */
    void leave(Room room) {
        ByteBuffer in = room.in();
        keptRequests = kept(keptRequests, in.limit(in.position()).position(at));
        keptAnswers = kept(keptAnswers, room.out());
    }

    private static ByteBuffer kept(ByteBuffer before, ByteBuffer rest) {
        int bytes = rest.remaining();
        ByteBuffer place = before.capacity() >= bytes
                ? before
                : ByteBuffer.allocate(Math.max(LEAST_KEPT_BYTES, Integer.highestOneBit(2 * bytes - 1)));
        return place.clear().put(rest).flip();
    }
}
