package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.RdmaHandshake.HANDSHAKE;
import static io.atoll.memory.Layouts.offsetOf;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Origin;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.RefusalDetails;
import io.atoll.fabric.rdma.Challenges.Proved;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests what two ranks prove to each other before a queue pair connects them. */
class RdmaHandshakeTest {

    private static final WorldIdentity WORLD = new WorldIdentity("rdma-handshake", 2);
    private static final int MOST_BYTES_OF_A_REQUEST = 56; // the limit of the connection manager
    private static final int MOST_BYTES_OF_A_REJECTION = 148;
    private static final ConnectRequest REQUEST = new ConnectRequest(WORLD, 0, 1, 3, 4, 1, 2);
    private static final RemoteSegment SEGMENT = new RemoteSegment(1L << 40, 1L << 33, -9);

    private static final Origin ORIGIN = origin("10.0.0.1");
    private static final Origin ELSEWHERE = origin("10.0.0.2");

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment hello = RdmaHandshake.hello(REQUEST, true, arena);

    private static Origin origin(String address) {
        return Origin.of(InetAddress.ofLiteral(address));
    }

    private static Keys old() {
        return Secrets.of(WORLD, Secrets.OLD);
    }

    private static Keys both() {
        return Secrets.of(WORLD, Secrets.NEW, Secrets.OLD);
    }

    private RequesterProof introduction(Keys caller, MemorySegment challenge) {
        return RequesterProof.withProofs(caller, hello, challenge, arena);
    }

    private static Optional<Proved> answers(Challenges owner, RequesterProof caller) {
        return owner.check(caller.words());
    }

    /** Returns what an owner sends: the words, followed by its proof. */
    private MemorySegment proved(Proved proved, MemorySegment words) {
        byte[] proof = proved.ownersProof(words.toArray(JAVA_BYTE));
        MemorySegment both = arena.allocate(MOST_BYTES_OF_A_REJECTION).copyFrom(words);
        both.asSlice(words.byteSize()).copyFrom(MemorySegment.ofArray(proof));
        return both;
    }

    @Test
    void itsLayoutsFitIntoWhatTheConnectionManagerCarries() {
        assertThat(offsetOf(RdmaHandshake.HELLO, "nonce")).isEqualTo(48);
        assertThat(RdmaHandshake.HELLO.byteSize()).isEqualTo(MOST_BYTES_OF_A_REQUEST);
        assertThat(offsetOf(RdmaHandshake.CHALLENGE, "reason")).isEqualTo(offsetOf(Handshake.REFUSAL, "reason"));
        assertThat(offsetOf(RdmaHandshake.CHALLENGE, "ticket")).isEqualTo(12);
        assertThat(offsetOf(RdmaHandshake.CHALLENGE, "nonce")).isEqualTo(16);
        assertThat(RdmaHandshake.CHALLENGE.byteSize()).isEqualTo(48).isLessThan(MOST_BYTES_OF_A_REJECTION);
        assertThat(offsetOf(RdmaHandshake.PROOFS, "ticket")).isEqualTo(4);
        assertThat(offsetOf(RdmaHandshake.PROOFS, "proofs")).isEqualTo(8);
        assertThat(RdmaHandshake.PROOFS.byteSize()).isEqualTo(MOST_BYTES_OF_A_REQUEST);
    }

    @Test
    void aHelloSaysWhetherAProofWillFollow() {
        assertThat(HANDSHAKE.readRequest(hello)).contains(REQUEST);
        assertThat(RdmaHandshake.proves(hello)).isTrue();
        assertThat(RdmaHandshake.areProofs(hello)).isFalse();
        assertThat(RdmaHandshake.proves(RdmaHandshake.hello(REQUEST, false, arena))).isFalse();
        assertThat(RdmaHandshake.proves(HANDSHAKE.write(REQUEST, arena))).as("cut off").isFalse();
    }

    @Test
    void aRankThatKnowsTheSecretIsBelievedAndBelievesTheOwner() {
        for (Keys caller : new Keys[]{Secrets.one(WORLD), both(), old()}) {
            Challenges owner = new Challenges(both());
            MemorySegment challenge = owner.give(REQUEST, hello, ORIGIN, 0, arena);
            assertThat(RdmaHandshake.isChallenge(challenge)).isTrue();
            RequesterProof requesterProof = introduction(caller, challenge);
            assertThat(RdmaHandshake.areProofs(requesterProof.words())).isTrue();
            assertThat(owner.requester(requesterProof.words())).isEqualTo(REQUEST);

            Proved proved = answers(owner, requesterProof).orElseThrow();

            assertThat(proved.connectRequest()).isEqualTo(REQUEST);
            assertThat(requesterProof.segment(proved(proved, SEGMENT.write(arena)))).contains(SEGMENT);
            MemorySegment refusal = HANDSHAKE.write(Refusal.OTHER_INCARNATION, new RefusalDetails(5, 2, 1), arena);
            assertThat(requesterProof.refusal(proved(proved, refusal))).isEqualTo(Refusal.OTHER_INCARNATION);
        }
    }

    @Test
    void aRankThatKnowsAnotherSecretProvesNothing() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        MemorySegment challenge = owner.give(REQUEST, hello, ORIGIN, 0, arena);

        assertThat(answers(owner, introduction(old(), challenge))).isEmpty();
        assertThat(answers(owner, introduction(
                Secrets.one(new WorldIdentity("another", 2)).shortened(RdmaHandshake.PROOF_BYTES), challenge)))
                .as("of another world")
                .isEmpty();
        assertThat(answers(owner, introduction(Secrets.one(WORLD), challenge))).as("another's failure costs nothing")
                .isPresent();
    }

    @Test
    void aProofHoldsOnceAndForItsHelloOnly() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        RequesterProof requesterProof = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 0, arena));
        MemorySegment other = RdmaHandshake.hello(new ConnectRequest(WORLD, 0, 1, 9, 4, 1, 2), true, arena);
        RequesterProof exchanged = introduction(Secrets.one(WORLD), owner.give(REQUEST, other, ORIGIN, 0, arena));

        assertThat(answers(owner, exchanged)).as("proofs of another hello than was challenged").isEmpty();
        assertThat(answers(owner, requesterProof)).isPresent();
        assertThat(answers(owner, requesterProof)).as("a second time").isEmpty();
        assertThat(owner.requester(requesterProof.words())).isNull();
    }

    @Test
    void anOwnerIsBelievedNothingWithoutAProof() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        RequesterProof requesterProof = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 0, arena));
        Proved proved = answers(owner, requesterProof).orElseThrow();
        MemorySegment moved = proved(proved, SEGMENT.write(arena));
        moved.set(JAVA_LONG, 8, 4711);

        assertThat(requesterProof.segment(moved)).as("a segment that was moved on the way").isEmpty();
        assertThat(requesterProof.segment(SEGMENT.write(arena))).isEmpty();
        MemorySegment sentBack = arena.allocate(196).copyFrom(SEGMENT.write(arena));
        sentBack.asSlice(32).copyFrom(requesterProof.words().asSlice(8));
        assertThat(requesterProof.segment(sentBack)).as("the caller's own proofs").isEmpty();
        assertThat(requesterProof.refusal(HANDSHAKE.write(Refusal.FENCED, RefusalDetails.NOTHING, arena)))
                .isEqualTo(Refusal.UNPROVED);
        assertThat(requesterProof.refusal(HANDSHAKE.write(Refusal.OTHER_WORLD, RefusalDetails.NOTHING, arena)))
                .isEqualTo(Refusal.UNPROVED);
        assertThat(requesterProof.refusal(HANDSHAKE.write(Refusal.NOT_MET, RefusalDetails.NOTHING, arena)))
                .isEqualTo(Refusal.NOT_MET);
        assertThat(requesterProof.refusal(arena.allocate(148))).isEqualTo(Refusal.NOBODY);
    }

    @Test
    void aFloodOfHellosMakesTheOwnerForgetTheOldestOnly() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        RequesterProof first = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 0, arena));
        RequesterProof second = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 0, arena));
        for (int stranger = 0; stranger < Challenges.MOST - 1; stranger++) {
            owner.give(REQUEST, hello, ORIGIN, 0, arena);
        }

        assertThat(owner.requester(first.words())).isNull();
        assertThat(answers(owner, first)).isEmpty();
        assertThat(answers(owner, second)).isPresent();
    }

    @Test
    void aFloodOfHellosDoesNotMakeTheOwnerForgetThoseFromElsewhere() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        RequesterProof fromElsewhere = introduction(Secrets.one(WORLD),
                owner.give(REQUEST, hello, ELSEWHERE, 0, arena));
        for (int stranger = 0; stranger < 10 * Challenges.MOST; stranger++) {
            owner.give(REQUEST, hello, ORIGIN, 0, arena);
        }

        assertThat(answers(owner, fromElsewhere)).isPresent();
    }

    @Test
    void aChallengeThatNobodyAnswersIsForgottenInTime() {
        Challenges owner = new Challenges(Secrets.one(WORLD));
        RequesterProof late = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 0, arena));
        RequesterProof later = introduction(Secrets.one(WORLD), owner.give(REQUEST, hello, ORIGIN, 1, arena));

        owner.forgetLate(Challenges.TIMEOUT.toNanos());
        assertThat(owner.requester(late.words())).isEqualTo(REQUEST);
        owner.forgetLate(Challenges.TIMEOUT.toNanos() + 1);

        assertThat(owner.requester(late.words())).isNull();
        assertThat(answers(owner, late)).isEmpty();
        assertThat(answers(owner, later)).isPresent();
    }

    @Test
    void withoutASecretARequesterBelievesWhoeverAnswers() {
        RequesterProof requesterProof = RequesterProof.withoutProof(Secrets.none(WORLD),
                RdmaHandshake.hello(REQUEST, false, arena));

        assertThat(requesterProof.segment(SEGMENT.write(arena))).contains(SEGMENT);
        assertThat(requesterProof.refusal(HANDSHAKE.write(Refusal.FENCED, RefusalDetails.NOTHING, arena)))
                .isEqualTo(Refusal.FENCED);
    }
}
