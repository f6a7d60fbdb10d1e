package io.atoll.fabric.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.Keys;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The words that two ranks exchange before a queue pair connects them. They are sent as private data of the connection
 * manager. A request carries up to 56 bytes, a rejection 148, and an acceptance 196. If ranks know a secret, a
 * requester comes twice. The owner rejects its hello with a challenge. Then the requester's proofs decide.
 * <pre>
 *   requester                       owner
 *   hello           -------------&gt;
 *                   &lt;-------------  rejection: challenge                                       only where
 *   proofs          -------------&gt;             by each secret that the requester knows         there is a secret
 *                   &lt;-------------  acceptance: {@link RemoteSegment segment}, or rejection: refusal; with a proof
 *
 *   hello:      0               48      56
 *               +---------------+-------+
 *               | request       | nonce |
 *               +---------------+-------+
 *   challenge:  0       8        10  12       16              48
 *               +-------+--------+---+--------+---------------+
 *               | magic | reason |   | ticket |     nonce     |
 *               +-------+--------+---+--------+---------------+
 *   proofs:     0       4        8                        56
 *               +-------+--------+------------------------+
 *               | magic | ticket |       proofs           |
 *               +-------+--------+------------------------+
 * </pre>
 * The nonce of a requester that knows no secret is 0. A proof is cut to {@value #PROOF_BYTES} bytes, so that three
 * proofs fit. Nothing that goes by the queue pair is encrypted or proved.
 */
final class RdmaHandshake {

    static final Handshake HANDSHAKE = new Handshake(0x4252_4556_4C4F_5441L); // "ATOLVERB" in the order of the bytes

    static final int PROOF_BYTES = 16;

    private static final int PROOFS_MAGIC = 0x464F_5250; // "PROF" in the order of the bytes

    static final StructLayout HELLO = MemoryLayout.structLayout( //
            Handshake.REQUEST.withName("request"), //
            Layouts.word("nonce"));

    static final StructLayout CHALLENGE = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_SHORT.withName("reason"), //
            MemoryLayout.paddingLayout(2), //
            JAVA_INT.withName("ticket"), //
            MemoryLayout.sequenceLayout(Keys.NONCE_BYTES, JAVA_BYTE).withName("nonce"));

    static final StructLayout PROOFS = MemoryLayout.structLayout( //
            JAVA_INT.withName("magic"), //
            JAVA_INT.withName("ticket"), // the ticket of the challenge
            MemoryLayout.sequenceLayout(Keys.MOST * (long) PROOF_BYTES, JAVA_BYTE).withName("proofs"));

    // The connection manager does not align its data.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private static final long HELLO_NONCE = Layouts.offsetOf(HELLO, "nonce");
    private static final long REASON = Layouts.offsetOf(CHALLENGE, "reason");
    private static final long CHALLENGE_TICKET = Layouts.offsetOf(CHALLENGE, "ticket");
    private static final long CHALLENGE_NONCE = Layouts.offsetOf(CHALLENGE, "nonce");
    private static final long TICKET = Layouts.offsetOf(PROOFS, "ticket");
    private static final long EACH = Layouts.offsetOf(PROOFS, "proofs");

    private RdmaHandshake() {}

    /** @param proves true if the requester knows a secret */
    static MemorySegment hello(ConnectRequest connectRequest, boolean proves, SegmentAllocator allocator) {
        MemorySegment struct = allocator.allocate(HELLO);
        struct.copyFrom(HANDSHAKE.write(connectRequest, allocator));
        struct.set(LONG, HELLO_NONCE, proves ? ByteBuffer.wrap(Keys.nonce()).getLong() | 1 : 0);
        return struct;
    }

    /** Returns true if the requester is ready to prove that it knows a secret. */
    static boolean proves(MemorySegment hello) {
        return HANDSHAKE.isOurs(hello, HELLO) && hello.get(LONG, HELLO_NONCE) != 0;
    }

    static MemorySegment challenge(int ticket, SegmentAllocator allocator) {
        MemorySegment struct = HANDSHAKE.begin(CHALLENGE, allocator);
        struct.set(SHORT, REASON, Handshake.CHALLENGED);
        struct.set(INT, CHALLENGE_TICKET, ticket);
        struct.asSlice(CHALLENGE_NONCE).copyFrom(MemorySegment.ofArray(Keys.nonce()));
        return struct;
    }

    static boolean isChallenge(MemorySegment data) {
        return HANDSHAKE.isOurs(data, CHALLENGE) && HANDSHAKE.isReason(data, Handshake.CHALLENGED);
    }

    /** Returns the answer to a challenge. */
    static MemorySegment proofs(MemorySegment challenge, byte[] proofs, SegmentAllocator allocator) {
        MemorySegment struct = allocator.allocate(PROOFS);
        struct.set(INT, 0, PROOFS_MAGIC);
        struct.set(INT, TICKET, challenge.get(INT, CHALLENGE_TICKET));
        struct.asSlice(EACH).copyFrom(MemorySegment.ofArray(proofs));
        return struct;
    }

    static boolean areProofs(MemorySegment data) {
        return data.byteSize() >= PROOFS.byteSize() && data.get(INT, 0) == PROOFS_MAGIC;
    }

    static int ticket(MemorySegment proofs) {
        return proofs.get(INT, TICKET);
    }

    /** Returns the proofs alone. */
    static byte[] readProofs(MemorySegment proofs) {
        return proofs.asSlice(EACH, Keys.MOST * (long) PROOF_BYTES).toArray(JAVA_BYTE);
    }

    /** Returns the bytes of a structure, without any bytes behind it. */
    static byte[] bytes(MemorySegment data, StructLayout layout) {
        return data.asSlice(0, layout.byteSize()).toArray(JAVA_BYTE);
    }
}
