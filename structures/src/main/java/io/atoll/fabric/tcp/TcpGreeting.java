package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.link.Greeting;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Request;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/**
 * What stands before the first frame of a connection. The requester says whether what follows is encrypted, and the two
 * agree on keys if it is. Where the ranks know a secret, each proves it to the other before anything is said of the
 * segment, see {@link Keys}; else the requester sends its hello, and the owner its answer.
 * <pre>
 *   requester                       owner
 *   preamble        ------------->
 *                   <------------>  TLS, where it is encrypted
 *   hello           ------------->
 *                   <-------------  challenge
 *   proofs          ------------->                by each secret that the requester knows
 *                   <-------------  answer, proof
 *
 *   preamble:   0       8         12           16
 *               +-------+---------+------------+
 *               | magic | version | encryption |
 *               +-------+---------+------------+
 *   hello:      0                48         52    56                 88
 *               +----------------+----------+-----+------------------+
 *               | request        | security |     |      nonce       |
 *               +----------------+----------+-----+------------------+
 *   challenge:  0       8        12            16                    48
 *               +-------+--------+-------------+---------------------+
 *               | magic | reason | incarnation |        nonce        |
 *               +-------+--------+-------------+---------------------+
 *   answer:     0       8        12            16              24
 *               +-------+--------+-------------+---------------+
 *               | magic | reason | incarnation | segment bytes |
 *               +-------+--------+-------------+---------------+
 * </pre>
 * The first 16 bytes that an owner sends are a {@linkplain Greeting#REFUSAL refusal} but for the reason. A requester
 * that has proved itself gets a whole answer and a proof also where it is refused; any other gets a refusal only. In
 * each case the connection ends with it.
 */
final class TcpGreeting {

    static final Greeting GREETING = new Greeting(0x5043_544C_4C4F_5441L); // "ATOLLTCP" in the order of the bytes

    /** Instead of a reason: the rank is let in. */
    static final int ACCEPTED = -1;

    private static final int PROOF = 1; // of the security
    private static final int VERSION = 1; // of what is said before the first frame
    private static final int TLS = 1; // of the encryption

    static final StructLayout PREAMBLE = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("version"), //
            JAVA_INT.withName("encryption")); // of what follows: 0 or TLS

    static final StructLayout HELLO = MemoryLayout.structLayout( //
            Greeting.REQUEST.withName("request"), //
            JAVA_INT.withName("security"), // what the requester is ready to prove: 0 or PROOF
            MemoryLayout.paddingLayout(4), //
            MemoryLayout.sequenceLayout(Keys.NONCE_BYTES, JAVA_BYTE).withName("nonce"));

    static final StructLayout CHALLENGE = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("reason"), //
            JAVA_INT.withName("incarnation"), // 0
            MemoryLayout.sequenceLayout(Keys.NONCE_BYTES, JAVA_BYTE).withName("nonce"));

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("reason"), //
            JAVA_INT.withName("incarnation"), // of the owner
            Layouts.word("segmentBytes"));

    private static final long VERSION_OFFSET = Layouts.offsetOf(PREAMBLE, "version");
    private static final long ENCRYPTION = Layouts.offsetOf(PREAMBLE, "encryption");
    private static final long SECURITY = Layouts.offsetOf(HELLO, "security");
    private static final long HELLO_NONCE = Layouts.offsetOf(HELLO, "nonce");
    private static final long CHALLENGE_NONCE = Layouts.offsetOf(CHALLENGE, "nonce");
    private static final long REASON = Layouts.offsetOf(ANSWER, "reason");
    private static final long INCARNATION = Layouts.offsetOf(ANSWER, "incarnation");
    private static final long SEGMENT_BYTES = Layouts.offsetOf(ANSWER, "segmentBytes");

    private TcpGreeting() {}

    static MemorySegment preamble(boolean encrypts, SegmentAllocator allocator) {
        MemorySegment struct = GREETING.begin(PREAMBLE, allocator);
        struct.set(JAVA_INT, VERSION_OFFSET, VERSION);
        struct.set(JAVA_INT, ENCRYPTION, encrypts ? TLS : 0);
        return struct;
    }

    /** Returns why a connection that begins so is refused, or null. */
    static @Nullable Refusal refusal(MemorySegment preamble, boolean encrypts) {
        if (preamble.get(JAVA_INT, VERSION_OFFSET) != VERSION) {
            return Refusal.OTHER_LAYOUT;
        }
        return preamble.get(JAVA_INT, ENCRYPTION) == (encrypts ? TLS : 0) ? null : Refusal.OTHER_ENCRYPTION;
    }

    /** @param proves whether the requester knows a secret */
    static MemorySegment hello(Request request, boolean proves, SegmentAllocator allocator) {
        MemorySegment struct = GREETING.begin(HELLO, allocator);
        struct.copyFrom(GREETING.write(request, allocator));
        struct.set(JAVA_INT, SECURITY, proves ? PROOF : 0);
        struct.asSlice(HELLO_NONCE).copyFrom(MemorySegment.ofArray(Keys.nonce()));
        return struct;
    }

    /** Returns whether the requester is ready to prove that it knows a secret. */
    static boolean proves(MemorySegment hello) {
        return hello.get(JAVA_INT, SECURITY) == PROOF;
    }

    static MemorySegment challenge(SegmentAllocator allocator) {
        MemorySegment struct = GREETING.begin(CHALLENGE, allocator);
        struct.set(JAVA_INT, REASON, Greeting.CHALLENGED);
        struct.asSlice(CHALLENGE_NONCE).copyFrom(MemorySegment.ofArray(Keys.nonce()));
        return struct;
    }

    static MemorySegment accept(int incarnation, long segmentBytes, SegmentAllocator allocator) {
        return answer(ACCEPTED, incarnation, segmentBytes, allocator);
    }

    /** A whole answer to a rank that has proved itself, and is refused. */
    static MemorySegment refuse(Refusal refusal, int incarnation, SegmentAllocator allocator) {
        return answer(refusal.ordinal(), incarnation, 0, allocator);
    }

    private static MemorySegment answer(int reason, int incarnation, long segmentBytes, SegmentAllocator allocator) {
        MemorySegment struct = GREETING.begin(ANSWER, allocator);
        struct.set(JAVA_INT, REASON, reason);
        struct.set(JAVA_INT, INCARNATION, incarnation);
        struct.set(JAVA_LONG, SEGMENT_BYTES, segmentBytes);
        return struct;
    }

    static boolean isAccepted(MemorySegment begin) {
        return isReason(begin, ACCEPTED);
    }

    static boolean isChallenged(MemorySegment begin) {
        return isReason(begin, Greeting.CHALLENGED);
    }

    private static boolean isReason(MemorySegment begin, int reason) {
        return GREETING.isOurs(begin, Greeting.REFUSAL) && begin.get(JAVA_INT, REASON) == reason;
    }

    static long readSegmentBytes(MemorySegment answer) {
        return answer.get(JAVA_LONG, SEGMENT_BYTES);
    }

    /** Returns why, if the first bytes of an answer say so. */
    static Refusal readRefusal(MemorySegment begin) {
        return GREETING.readRefusal(begin);
    }
}
