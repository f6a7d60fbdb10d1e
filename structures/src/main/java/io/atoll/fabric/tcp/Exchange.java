package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The requests of a connection as the owner executes them, in their order, and its answers. What has come with one read
 * is answered with one write. An owner never queues answers: while the other side does not read them, nothing more is
 * read from it either. For one thread at a time.
 *
 * <p>Many connections may share a room, one after the other. Then what is not whole, or has not gone, is kept in between.
 */
final class Exchange {

    private static final int LEAST_KEPT_BYTES = 256;

    private final Wire wire;
    private final FrameExecutor executor;
    private int at; // in the room, where the next request begins
    private boolean sending; // answers that have not gone as a whole
    private long lastNumber;
    private ByteBuffer keptRequests = ByteBuffer.allocate(0); // to be read from
    private ByteBuffer keptAnswers = ByteBuffer.allocate(0);

    Exchange(Wire wire, LocalMemory segment) {
        this.wire = wire;
        this.executor = new FrameExecutor(segment);
    }

    /**
     * Reads once. Returns false at the end of the connection. A wire that decrypts keeps no whole request back: there is
     * always more free room than it holds.
     */
    boolean read(Room room) throws IOException {
        return wire.read(room.in()) >= 0;
    }

    /**
     * Executes of what has arrived as much as there is room for answers, and sends these. Returns whether everything is
     * answered, and has gone. Large answers to small requests may take many calls: others have their turn in between.
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

    /** Returns whether a whole frame stands there. */
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

    /** Takes room that another connection has used. */
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
