package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.MemorySegment;

/**
 * Gives one thread access to the fabric: its lanes and its batch. A thread always uses the same lanes, so that its
 * verbs keep their order.
 */
final class TcpThreadContext {

    private static final long MOST_COPIED_BYTES = 1 << 20;
    private static final Thread NOBODY = Thread.ofPlatform().unstarted(() -> {}); // a thread that owns no arena

    private final TcpNetwork network;
    private final ThreadLanes<TcpLane> lanes;
    private final TcpBatch batch;
    private final VerbList single = new VerbList(1);
    private final VerbList outgoing = new VerbList(0);
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    /** Creates the context of the calling thread. */
    TcpThreadContext(TcpNetwork network, ThreadLanes<TcpLane> lanes) {
        this.network = network;
        this.lanes = lanes;
        this.batch = TcpBatch.ofThread(network, lanes);
    }

    TcpBatch batch() {
        return batch;
    }

    ThreadLanes<TcpLane> lanes() {
        return lanes;
    }

    void read(int rank, long offset, MemorySegment into, long position, long bytes) {
        TcpLane lane = network.lane(lanes, rank, "read", offset, bytes);
        MemorySegment target = into.asSlice(position, bytes);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("a read needs memory that can be written to: bytes=" + bytes);
        }
        if (target.isAccessibleBy(NOBODY)) {
            read(lane, offset, target, bytes);
            return;
        }
        // Another thread may place the answer, so it cannot go directly into the memory of a confined arena.
        for (long at = 0; at < bytes; at += MOST_COPIED_BYTES) {
            long part = Math.min(bytes - at, MOST_COPIED_BYTES);
            MemorySegment placed = MemorySegment.ofArray(new byte[(int) part]);
            read(lane, offset + at, placed, part);
            MemorySegment.copy(placed, 0, target, at, part);
        }
    }

    private void read(TcpLane lane, long offset, MemorySegment target, long bytes) {
        single.emptied().use(target).move(lane, Frame.READ, "read", offset, 0, bytes);
        try {
            complete();
        } finally {
            single.use(MemorySegment.NULL);
        }
    }

    long readWord(int rank, long offset) {
        TcpLane lane = network.lane(lanes, rank, "read", offset, Long.BYTES);
        single.emptied().use(word).move(lane, Frame.READ, "read", offset, 0, Long.BYTES);
        complete();
        return word.get(JAVA_LONG, 0);
    }

    long update(int rank, byte kind, String verb, long offset, long operand, long second) {
        TcpLane lane = network.lane(lanes, rank, verb, offset, Long.BYTES);
        single.emptied().update(lane, kind, verb, offset, 0, operand, second);
        complete();
        return single.result(0);
    }

    private void complete() {
        try {
            single.complete();
        } catch (RankUnreachableException failure) {
            throw network.named(failure);
        }
    }

    void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        TcpLane lane = network.lane(lanes, rank, "write", offset, bytes);
        outgoing.emptied().use(source.asSlice(position, bytes)).move(lane, Frame.WRITE, "write", offset, 0, bytes);
        try {
            send();
        } finally {
            outgoing.use(MemorySegment.NULL);
        }
    }

    void writeWord(int rank, long offset, long value) {
        TcpLane lane = network.lane(lanes, rank, "write", offset, Long.BYTES);
        outgoing.emptied().writeWord(lane, offset, value);
        send();
    }

    private void send() {
        try {
            outgoing.send();
        } catch (RankUnreachableException failure) {
            throw network.named(failure);
        }
    }
}
