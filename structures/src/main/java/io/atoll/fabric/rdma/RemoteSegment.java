package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.RdmaHandshake.HANDSHAKE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * The place of a rank's segment, for a device. It is the answer to a rank that is let in; see {@link RdmaHandshake}.
 * <pre>
 *   0       8         16              24           28    32
 *   +-------+---------+---------------+------------+-----+
 *   | magic | address | segment bytes | remote key |     |
 *   +-------+---------+---------------+------------+-----+
 * </pre>
 *
 * @param address where the segment begins, in its owner's address space
 * @param key by which the owner's device knows that others may access the segment
 */
record RemoteSegment(long address, long bytes, int key) {

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            Layouts.word("address"), //
            Layouts.word("segmentBytes"), //
            JAVA_INT.withName("remoteKey"), //
            MemoryLayout.paddingLayout(4));

    // The connection manager does not align its data.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    MemorySegment write(SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.begin(ANSWER, allocator);
        struct.set(LONG, at("address"), address);
        struct.set(LONG, at("segmentBytes"), bytes);
        struct.set(INT, at("remoteKey"), key);
        return struct;
    }

    /** Returns nothing if the answer does not come from a rank. */
    static Optional<RemoteSegment> read(MemorySegment data) {
        return HANDSHAKE.isOurs(data, ANSWER)
                ? Optional.of(new RemoteSegment(data.get(LONG, at("address")), data.get(LONG, at("segmentBytes")),
                        data.get(INT, at("remoteKey"))))
                : Optional.empty();
    }

    private static long at(String name) {
        return Layouts.offsetOf(ANSWER, name);
    }
}
