package io.atoll.fabric.link;

import static io.atoll.memory.Layouts.offsetOf;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Tests what ranks tell each other when they connect, and what strangers may send instead. */
class HandshakeTest {

    private static final WorldIdentity WORLD = new WorldIdentity("handshake", 3);
    private static final int MOST_BYTES_OF_A_REQUEST = 56;
    private static final long MAGIC = 0x4252_4556_4C4F_5441L;
    private static final Handshake HANDSHAKE = new Handshake(MAGIC);

    @Test
    void theirLayoutsAreThoseThatOtherVersionsOfThisLibraryKnow() {
        assertThat(offsetOf(Handshake.REQUEST, "layoutVersion")).isEqualTo(8);
        assertThat(offsetOf(Handshake.REQUEST, "worldId")).isEqualTo(16);
        assertThat(offsetOf(Handshake.REQUEST, "rank")).isEqualTo(24);
        assertThat(offsetOf(Handshake.REQUEST, "target")).isEqualTo(28);
        assertThat(offsetOf(Handshake.REQUEST, "incarnation")).isEqualTo(32);
        assertThat(offsetOf(Handshake.REQUEST, "targetIncarnation")).isEqualTo(34);
        assertThat(offsetOf(Handshake.REQUEST, "targetBorn")).isEqualTo(36);
        assertThat(offsetOf(Handshake.REQUEST, "met")).isEqualTo(38);
        assertThat(offsetOf(Handshake.REQUEST, "lane")).isEqualTo(40);
        assertThat(offsetOf(Handshake.REQUEST, "attempt")).isEqualTo(44);
        assertThat(Handshake.REQUEST.byteSize()).isEqualTo(48).isLessThanOrEqualTo(MOST_BYTES_OF_A_REQUEST);
        assertThat(offsetOf(Handshake.REFUSAL, "reason")).isEqualTo(8);
        assertThat(offsetOf(Handshake.REFUSAL, "met")).isEqualTo(10);
        assertThat(offsetOf(Handshake.REFUSAL, "incarnation")).isEqualTo(12);
        assertThat(offsetOf(Handshake.REFUSAL, "born")).isEqualTo(14);
        assertThat(Handshake.REFUSAL.byteSize()).isEqualTo(16);
    }

    @Test
    void whatIsWrittenIsRead() {
        Arena arena = Arena.ofAuto();
        ConnectRequest connectRequest = new ConnectRequest(WORLD, 2, 1, SegmentHeader.MAXIMUM_INCARNATION, 5, 3, 9)
                .of(SegmentHeader.MAXIMUM_INCARNATION - 1, SegmentHeader.MAXIMUM_INCARNATION - 2);

        assertThat(connectRequest.layoutVersion()).isEqualTo(SegmentHeader.LAYOUT_VERSION);
        assertThat(HANDSHAKE.readRequest(HANDSHAKE.write(connectRequest, arena))).contains(connectRequest);
        for (Refusal refusal : Refusal.values()) {
            RefusalDetails refusalDetails = new RefusalDetails(SegmentHeader.MAXIMUM_INCARNATION, 4,
                    SegmentHeader.MAXIMUM_INCARNATION - 1);
            MemorySegment written = HANDSHAKE.write(refusal, refusalDetails, arena);
            assertThat(HANDSHAKE.readRefusal(written)).isEqualTo(refusal);
            assertThat(HANDSHAKE.readTold(written)).isEqualTo(refusalDetails);
        }
    }

    @Test
    void aRefusalSaysWhatToChangeAndHoldsNoFacts() {
        assertThat(Refusal.values()).allSatisfy(refusal -> assertThat(refusal.words()).matches("[^:=]*, [^:=]*"));
    }

    @Test
    void strangersAreKnownByWhatTheySayOrDoNotSay() {
        for (long bytes : new long[]{0, 8, 47, 196}) {
            MemorySegment zeros = Arena.ofAuto().allocate(Math.max(1, bytes)).asSlice(0, bytes);
            assertThat(HANDSHAKE.readRequest(zeros)).isEmpty();
            assertThat(HANDSHAKE.readRefusal(zeros)).isEqualTo(Refusal.NOBODY);
        }
        MemorySegment unknown = Arena.ofAuto().allocate(Handshake.REFUSAL);
        unknown.set(JAVA_LONG, 0, MAGIC);
        unknown.set(JAVA_INT, 8, Refusal.values().length);
        assertThat(HANDSHAKE.readRefusal(unknown)).as("of a later version").isEqualTo(Refusal.NOBODY);
    }
}
