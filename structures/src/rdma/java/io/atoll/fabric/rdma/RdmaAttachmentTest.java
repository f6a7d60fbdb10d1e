package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import io.atoll.Fabrics;
import io.atoll.disni.SendChain;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.link.LinkedAttachmentContract;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.util.LinkedList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a device adds to the life of an attachment. */
@NeedsRdmaDevice
@Timeout(120)
class RdmaAttachmentTest extends LinkedAttachmentContract {

    @Override
    protected Attachment attach(WorldIdentity world, int rank) {
        return Fabrics.rdma().attach(world, OptionalInt.of(rank), SEGMENT_BYTES);
    }

    @Test
    void aRankThatHasEndedIsNamedWithTheReason() {
        fabric(0).readWord(1, WORD);

        attachment(1).close();

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageMatching(".*rank=1.*status=.(RDMA_CM_EVENT|IBV_WC)_[A-Z_]+.*");
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD));
        assertThat(attachment(0).presence(1).state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void writesThatAreLostAreToldByTheNextFlush() {
        fabric(0).readWord(1, WORD);
        attachment(1).close();

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
        QueuePairLane lane = lane();
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
        QueuePairLane lane = lane();

        long number = postWithAWrongKey(lane);

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> lane.await(number, "write", WORD))
                .withMessageContaining("status=[IBV_WC_REM_ACCESS_ERR]");
        assertThat(lane.isUsable()).isFalse();
        assertThat(fabric(0).readWord(1, WORD)).isEqualTo(1);
    }

    private QueuePairLane lane() {
        RdmaFabric fabric = (RdmaFabric) fabric(0);
        return fabric.lane(1, "read", WORD, Long.BYTES);
    }

    private long postWithAWrongKey(QueuePairLane lane) {
        return lane.post(write(lane, lane.remote().key() + 1), 0, 0, 1, true, "write", WORD);
    }

    private SendChain write(QueuePairLane lane, int remoteKey) {
        RegisteredMemory source = ((RdmaFabric) fabric(0)).memory().allocate(this, 64);
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
        Rdma elsewhere = new Rdma(Fabrics.sharedMemory(), new RdmaAddress(null, 1, null, "192.0.2.1", 0), 1,
                Rdma.SMALLEST_DEPTH, null, List.of());

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> elsewhere.attach(other, OptionalInt.of(0), SEGMENT_BYTES))
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.FABRIC_UNAVAILABLE));
        attach(other, 0).close();
    }

}
