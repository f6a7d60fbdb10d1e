package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.link.Greeting;
import io.atoll.fabric.link.Refusal;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * What stands before the first frame of a connection. The requester sends its {@linkplain Greeting#REQUEST request}; the owner answers, and closes the connection if it refuses.
 * <pre>
 *   answer:   0       8        12            16              24
 *             +-------+--------+-------------+---------------+
 *             | magic | reason | incarnation | segment bytes |
 *             +-------+--------+-------------+---------------+
 * </pre>
 * The first 16 bytes are a {@linkplain Greeting#REFUSAL refusal} but for the reason, which is {@value #ACCEPTED} when the rank is let in. Only then the rest follows.
 */
final class TcpGreeting {

    static final Greeting GREETING = new Greeting(0x5043_544C_4C4F_5441L); // "ATOLLTCP" in the order of the bytes

    static final int ACCEPTED = -1;

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("reason"), //
            JAVA_INT.withName("incarnation"), // of the owner
            Layouts.word("segmentBytes"));

    private static final long REASON = Layouts.offsetOf(ANSWER, "reason");
    private static final long INCARNATION = Layouts.offsetOf(ANSWER, "incarnation");
    private static final long SEGMENT_BYTES = Layouts.offsetOf(ANSWER, "segmentBytes");

    private TcpGreeting() {}

    static MemorySegment accept(int incarnation, long segmentBytes, SegmentAllocator allocator) {
        MemorySegment struct = GREETING.begin(ANSWER, allocator);
        struct.set(JAVA_INT, REASON, ACCEPTED);
        struct.set(JAVA_INT, INCARNATION, incarnation);
        struct.set(JAVA_LONG, SEGMENT_BYTES, segmentBytes);
        return struct;
    }

    /** Returns whether the first bytes of an answer say that the rank is let in. */
    static boolean isAccepted(MemorySegment begin) {
        return GREETING.isOurs(begin, Greeting.REFUSAL) && begin.get(JAVA_INT, REASON) == ACCEPTED;
    }

    static long readSegmentBytes(MemorySegment answer) {
        return answer.get(JAVA_LONG, SEGMENT_BYTES);
    }

    /** Returns why, if the first bytes of an answer say so. */
    static Refusal readRefusal(MemorySegment begin) {
        return GREETING.readRefusal(begin);
    }
}
