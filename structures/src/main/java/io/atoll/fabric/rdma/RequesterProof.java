package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.RdmaHandshake.HANDSHAKE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Refusal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.util.Arrays;
import java.util.Optional;

/**
 * The words by which a requester asks to be let in, and its judgement of the answer. If there is a secret, it believes
 * only an owner that proves to know the secret.
 *
 * @param words private data of its request
 * @param hello what the requester has sent before; empty if there is no secret
 * @param challenge what the owner has sent before; empty if there is no secret
 */
record RequesterProof(Keys keys, MemorySegment words, byte[] hello, byte[] challenge) {

    private static final byte[] NOTHING = {};

    /** Returns the words of a requester that knows no secret. */
    static RequesterProof withoutProof(Keys keys, MemorySegment hello) {
        return new RequesterProof(keys, hello, NOTHING, NOTHING);
    }

    static RequesterProof withProofs(Keys keys, MemorySegment hello, MemorySegment challenge,
            SegmentAllocator allocator) {
        byte[] said = RdmaHandshake.bytes(hello, RdmaHandshake.HELLO);
        byte[] challenged = RdmaHandshake.bytes(challenge, RdmaHandshake.CHALLENGE);
        byte[] proofs = keys.proofs(Keys.CALLER, said, challenged);
        return new RequesterProof(keys, RdmaHandshake.proofs(challenge, proofs, allocator), said, challenged);
    }

    /**
     * Returns where the segment is, if a rank says so. If there is a secret, that rank must also prove that it knows
     * the secret.
     */
    Optional<RemoteSegment> segment(MemorySegment answer) {
        return RemoteSegment.read(answer).filter(_ -> isProved(answer, RemoteSegment.ANSWER));
    }

    /** Returns why the owner refuses. */
    Refusal refusal(MemorySegment answer) {
        Refusal refusal = HANDSHAKE.readRefusal(answer);
        return HANDSHAKE.isOurs(answer, Handshake.REFUSAL) && isProved(answer, Handshake.REFUSAL)
                ? refusal
                : unproved(refusal);
    }

    /**
     * Returns what to believe of an owner that has proved nothing: it refuses, and the two sides cannot even compare
     * what they know.
     */
    static Refusal unproved(Refusal refusal) {
        return switch (refusal) {
            case NOBODY, OTHER_LAYOUT, NOT_MET -> refusal;
            default -> Refusal.UNPROVED;
        };
    }

    private boolean isProved(MemorySegment answer, StructLayout layout) {
        if (!keys.areNeeded()) {
            return true;
        }
        long end = layout.byteSize();
        if (answer.byteSize() < end + RdmaHandshake.PROOF_BYTES) {
            return false;
        }
        byte[] all = answer.asSlice(0, end + RdmaHandshake.PROOF_BYTES).toArray(JAVA_BYTE);
        byte[] proof = Arrays.copyOfRange(all, (int) end, all.length);
        return keys.matching(proof, Keys.OWNER, hello, challenge, Arrays.copyOf(all, (int) end)) != Keys.NONE;
    }
}
