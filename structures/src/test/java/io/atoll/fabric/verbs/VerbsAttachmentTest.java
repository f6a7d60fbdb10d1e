package io.atoll.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import io.atoll.Fabrics;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.verbs.device.Place;
import io.atoll.fabric.verbs.device.RegisteredMemory;
import io.atoll.fabric.verbs.link.Lane;
import io.atoll.fabric.verbs.provider.work.SendChain;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is let in, who is kept out, and what becomes of verbs to those who are gone. */
@NeedsRdmaDevice
@Timeout(120)
class VerbsAttachmentTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-attachment", 2);
    private static final long SEGMENT_BYTES = 64 << 10;
    private static final long WORD = SegmentHeader.size(WORLD.size());

    private final Attachment[] attachments = new Attachment[2];

    @BeforeEach
    void attach() {
        attachments[0] = attach(WORLD, 0);
        attachments[1] = attach(WORLD, 1);
        connect(0, 1);
        connect(1, 0);
    }

    private static Attachment attach(WorldIdentity world, int rank) {
        return Fabrics.verbs().attach(world, OptionalInt.of(rank), SEGMENT_BYTES);
    }

    private void connect(int from, int to) {
        attachments[from].connect(to, attachments[to].incarnation(), attachments[to].address());
    }

    private Fabric fabric(int rank) {
        return attachments[rank].fabric();
    }

    private void restart(int rank) {
        attachments[rank].close();
        attachments[rank] = attach(WORLD, rank);
    }

    @AfterEach
    void detach() {
        for (Attachment attachment : attachments) {
            attachment.close();
        }
    }

    @Test
    void aRankOfThisHostIsKnownToLive() {
        assertThat(attachments[0].presence(1).state()).isEqualTo(State.PRESENT);
        assertThat(attachments[0].presence(1).incarnation()).isEqualTo(attachments[1].incarnation());
    }

    @Test
    void aSegmentOfAnotherWorldIsRefused() {
        try (Attachment stranger = attach(new WorldIdentity("verbs-stranger", 2), 1)) {
            stranger.connect(0, attachments[0].incarnation(), attachments[0].address());

            assertThatExceptionOfType(LayoutMismatchException.class)
                    .isThrownBy(() -> stranger.fabric().readWord(0, WORD))
                    .withMessageContaining("another world");
        }
    }

    @Test
    void whoListensWhereAnotherRankIsExpectedIsRefused() {
        attachments[0].connect(1, attachments[0].incarnation(), attachments[0].address());

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("another rank listens there")
                .withMessageContaining("rank=1");
    }

    @Test
    void anotherIncarnationThanTheExpectedIsRefused() {
        attachments[0].connect(1, attachments[1].incarnation() + 1, attachments[1].address());

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("another incarnation than expected");
    }

    @Test
    void aFencedRankReachesTheSegmentNoMore() {
        fabric(0).writeWord(1, WORD, 7);
        fabric(0).flush(1);

        attachments[1].fence(0);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).getAndAdd(1, WORD, 1));
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).getAndAdd(1, WORD, 1))
                .withMessageContaining("declared dead");
        assertThat(fabric(1).readWord(1, WORD)).isEqualTo(7);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(1).readWord(0, WORD));
    }

    @Test
    void aFencedRankIsLetInAgainWhenItWasStartedAgain() {
        attachments[1].fence(0);

        restart(0);
        connect(0, 1);
        connect(1, 0);

        assertThat(attachments[0].incarnation()).isEqualTo(2);
        assertThat(fabric(0).getAndAdd(1, WORD, 5)).isZero();
        assertThat(fabric(1).readWord(1, WORD)).isEqualTo(5);
        assertThat(fabric(1).readWord(0, WORD)).isZero();
    }

    @Test
    void aFencedRankStaysOutWhenTheOwnerIsStartedAgain() {
        attachments[1].fence(0);

        restart(1);
        connect(0, 1);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("declared dead");
    }

    @Test
    void anIncarnationThatWasShutOutIsNotConnectedToAgain() {
        attachments[0].fence(1);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(0, 1))
                .withMessageContaining("former one")
                .withMessageContaining("fenced=1");
    }

    @Test
    void onlyTheOwnerOfASegmentCanSayWhoWasShutOutOfIt() {
        assertThat(attachments[0].isFenced(1, 1, 0)).isFalse();

        attachments[0].fence(1);

        assertThat(attachments[0].isFenced(1, 1, 0)).isTrue();
        restart(1);
        connect(0, 1);
        connect(1, 0);
        assertThat(attachments[1].isFenced(1, 1, 0)).as("asked of the owner").isTrue();
        assertThat(attachments[1].isFenced(1, 2, 0)).isFalse();
        assertThat(attachments[1].isFenced(0, 1, 1)).as("nobody has shut it out here").isFalse();
    }

    @Test
    void anIncarnationThatWasNeverMetIsShutOutByTheNext() {
        restart(1);
        connect(0, 1);

        assertThat(attachments[0].isFenced(1, 1, 0)).isTrue();
    }

    @Test
    void whereARankOfThisHostListensStandsInItsSegment() {
        attachments[0].connect(1, attachments[1].incarnation(), Map.of());

        fabric(0).writeWord(1, WORD, 3);
        assertThat(fabric(0).getAndAdd(1, WORD, 0)).isEqualTo(3);
    }

    @Test
    void aRankThatHasEndedIsNamedWithTheReason() {
        fabric(0).readWord(1, WORD);

        attachments[1].close();

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageMatching(".*rank=1.*status=.(RDMA_CM_EVENT|IBV_WC)_[A-Z_]+.*");
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD));
        assertThat(attachments[0].presence(1).state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void aRankThatWasStartedAgainHasItsDataAndIsReachedUnderItsHigherIncarnation() {
        fabric(0).writeWord(1, WORD, 7);
        fabric(0).flush(1);

        restart(1);
        attachments[0].fence(1);
        connect(0, 1);

        assertThat(attachments[1].incarnation()).isEqualTo(2);
        assertThat(fabric(0).readWord(1, WORD)).isEqualTo(7);
    }

    @Test
    void writesThatAreLostAreToldByTheNextFlush() {
        fabric(0).readWord(1, WORD);
        attachments[1].close();

        for (int i = 0; i < 3; i++) {
            fabric(0).writeWord(1, WORD, i);
        }

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).flush(1))
                .withMessageContaining("rank=1");
    }

    @Test
    void aThreadWhoseWriteWasLostIsToldBeforeItsNextVerb() {
        fabric(0).writeWord(1, WORD, 1);
        fabric(0).flush(1);
        Lane lane = lane();
        postWithAWrongKey(lane);
        lane.post(write(lane, lane.remote().key()), 0, 0, 1, false, "write", WORD);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(lane::flush);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("an earlier write may be lost");
        assertThat(fabric(0).readWord(1, WORD)).isEqualTo(1);
    }

    @Test
    void aConnectionThatBrokeIsMadeAnew() {
        fabric(0).writeWord(1, WORD, 1);
        fabric(0).flush(1);
        Lane lane = lane();

        long number = postWithAWrongKey(lane);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> lane.await(number, "write", WORD))
                .withMessageContaining("status=[IBV_WC_REM_ACCESS_ERR]");
        assertThat(lane.isUsable()).isFalse();
        assertThat(fabric(0).readWord(1, WORD)).isEqualTo(1);
    }

    private Lane lane() {
        VerbsFabric fabric = (VerbsFabric) fabric(0);
        return fabric.lane(1, "read", WORD, Long.BYTES);
    }

    private long postWithAWrongKey(Lane lane) {
        return lane.post(write(lane, lane.remote().key() + 1), 0, 0, 1, true, "write", WORD);
    }

    private SendChain write(Lane lane, int remoteKey) {
        RegisteredMemory source = ((VerbsFabric) fabric(0)).memory().allocate(this, 64);
        IbvSge element = new IbvSge();
        element.setAddr(source.bytes().address());
        element.setLength(64);
        element.setLkey(source.key());
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE);
        request.setSg_list(new LinkedList<>(List.of(element)));
        request.getRdma().setRemote_addr(lane.remote().address() + WORD + 64);
        request.getRdma().setRkey(remoteKey);
        return new SendChain(List.of(request));
    }

    @Test
    void anAddressThatIsNotThisMachinesIsRefusedAndNothingIsLeftBehind() {
        WorldIdentity other = new WorldIdentity("verbs-elsewhere", 2);
        Verbs elsewhere = new Verbs(Fabrics.sharedMemory(), new Place(null, 1, null, "192.0.2.1", 0), 1,
                Verbs.SMALLEST_DEPTH, null, List.of());

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> elsewhere.attach(other, OptionalInt.of(0), SEGMENT_BYTES))
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.FABRIC_UNAVAILABLE));
        attach(other, 0).close();
    }

    @Test
    void aClosedFabricRefusesItsVerbs() {
        Fabric fabric = fabric(0);
        attachments[0].close();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> fabric.readWord(1, WORD));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> fabric.writeWord(1, WORD, 1));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(fabric::batch);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(fabric::flush);
    }
}
