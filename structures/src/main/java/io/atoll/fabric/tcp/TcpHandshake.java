package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.RefusalDetails;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/**
 * The words that precede the first frame of a connection. The requester says whether it encrypts what follows. If it
 * does, the two agree on keys. If the ranks know a secret, each proves it to the other before anything is said of the
 * segment; see {@link Keys}. Otherwise the requester sends its hello, and the owner its answer.
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
 *   challenge:  0       8        10      16                    48
 *               +-------+--------+-------+---------------------+
 *               | magic | reason |       |        nonce        |
 *               +-------+--------+-------+---------------------+
 *   answer:     0       8        10    12            14     16              24
 *               +-------+--------+-----+-------------+------+---------------+
 *               | magic | reason | met | incarnation | born | segment bytes |
 *               +-------+--------+-----+-------------+------+---------------+
 * </pre>
 * The first 16 bytes that an owner sends are a {@linkplain Handshake#REFUSAL refusal}, except for the reason. A
 * requester that has proved itself gets a whole answer and a proof, even if it is refused. Any other one gets only a
 * refusal. In each case a refusal ends the connection.
 */
final class TcpHandshake {

    static final Handshake HANDSHAKE = new Handshake(0x5043_544C_4C4F_5441L); // "ATOLLTCP" in the order of the bytes

    /** Stands in place of a reason: the rank is let in. */
    static final short ACCEPTED = -1;

    private static final int PROOF = 1; // value of "security"
    private static final int VERSION = 6; // of these words, and of frames
    private static final int TLS = 1; // value of "encryption"

    static final StructLayout PREAMBLE = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("version"), //
            JAVA_INT.withName("encryption")); // of what follows: 0 or TLS

    static final StructLayout HELLO = MemoryLayout.structLayout( //
            Handshake.REQUEST.withName("request"), //
            JAVA_INT.withName("security"), // what the requester is ready to prove: 0 or PROOF
            MemoryLayout.paddingLayout(4), //
            MemoryLayout.sequenceLayout(Keys.NONCE_BYTES, JAVA_BYTE).withName("nonce"));

    static final StructLayout CHALLENGE = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_SHORT.withName("reason"), //
            MemoryLayout.paddingLayout(6), //
            MemoryLayout.sequenceLayout(Keys.NONCE_BYTES, JAVA_BYTE).withName("nonce"));

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_SHORT.withName("reason"), //
            JAVA_CHAR.withName("met"), // this and the next two as in a refusal
            JAVA_CHAR.withName("incarnation"), //
            JAVA_CHAR.withName("born"), //
            Layouts.word("segmentBytes"));

    private static final long VERSION_OFFSET = Layouts.offsetOf(PREAMBLE, "version");
    private static final long ENCRYPTION = Layouts.offsetOf(PREAMBLE, "encryption");
    private static final long SECURITY = Layouts.offsetOf(HELLO, "security");
    private static final long HELLO_NONCE = Layouts.offsetOf(HELLO, "nonce");
    private static final long CHALLENGE_NONCE = Layouts.offsetOf(CHALLENGE, "nonce");
    private static final long REASON = Layouts.offsetOf(CHALLENGE, "reason");
    private static final long SEGMENT_BYTES = Layouts.offsetOf(ANSWER, "segmentBytes");

    private TcpHandshake() {}

    static MemorySegment preamble(boolean encrypts, SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.begin(PREAMBLE, allocator);
        struct.set(JAVA_INT, VERSION_OFFSET, VERSION);
        struct.set(JAVA_INT, ENCRYPTION, encrypts ? TLS : 0);
        return struct;
    }

    /** Returns the reason to refuse a connection that begins with this preamble, or null. */
    static @Nullable Refusal refusal(MemorySegment preamble, boolean encrypts) {
        if (preamble.get(JAVA_INT, VERSION_OFFSET) != VERSION) {
            return Refusal.OTHER_LAYOUT;
        }
        return preamble.get(JAVA_INT, ENCRYPTION) == (encrypts ? TLS : 0) ? null : Refusal.OTHER_ENCRYPTION;
    }

    /** Returns, for messages, in what a process may differ from one that it does not understand. */
    static String settings(Keys keys, @Nullable Encryption encryption) {
        return " ownSecret=" + (keys.areNeeded() ? "yes" : "none") + " ownEncryption="
                + (encryption == null ? "none" : "yes");
    }

    /** @param proves true if the requester knows a secret */
    static MemorySegment hello(ConnectRequest connectRequest, boolean proves, SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.begin(HELLO, allocator);
        struct.copyFrom(HANDSHAKE.write(connectRequest, allocator));
        struct.set(JAVA_INT, SECURITY, proves ? PROOF : 0);
        struct.asSlice(HELLO_NONCE).copyFrom(MemorySegment.ofArray(Keys.nonce()));
        return struct;
    }

    /** Returns true if the requester is ready to prove that it knows a secret. */
    static boolean proves(MemorySegment hello) {
        return hello.get(JAVA_INT, SECURITY) == PROOF;
    }

    static MemorySegment challenge(SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.begin(CHALLENGE, allocator);
        struct.set(JAVA_SHORT, REASON, Handshake.CHALLENGED);
        struct.asSlice(CHALLENGE_NONCE).copyFrom(MemorySegment.ofArray(Keys.nonce()));
        return struct;
    }

    static MemorySegment accept(long segmentBytes, SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.write(ANSWER, ACCEPTED, RefusalDetails.NOTHING, allocator);
        struct.set(JAVA_LONG, SEGMENT_BYTES, segmentBytes);
        return struct;
    }

    /** Returns a whole answer for a rank that has proved itself and is refused. */
    static MemorySegment refuse(Refusal refusal, RefusalDetails refusalDetails, SegmentAllocator allocator) {
        return HANDSHAKE.write(ANSWER, (short) refusal.ordinal(), refusalDetails, allocator);
    }

    static boolean isAccepted(MemorySegment begin) {
        return HANDSHAKE.isReason(begin, ACCEPTED);
    }

    static boolean isChallenged(MemorySegment begin) {
        return HANDSHAKE.isReason(begin, Handshake.CHALLENGED);
    }

    static long readSegmentBytes(MemorySegment answer) {
        return answer.get(JAVA_LONG, SEGMENT_BYTES);
    }

    /** Returns the reason, if the first bytes of an answer tell one. */
    static Refusal readRefusal(MemorySegment begin) {
        return HANDSHAKE.readRefusal(begin);
    }
}
