package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SendWorkRequestTest {

    private final MemorySegment struct = Arena.ofAuto().allocate(SendWorkRequest.LAYOUT);
    private final MemorySegment elements = Arena.ofAuto().allocate(ScatterGatherElement.LAYOUT);

    @Test
    void anAtomicRequestLiesInMemoryAsTheDriverReadsIt() {
        IbvSendWR request = request(IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP);
        request.getAtomic().setRemote_addr(0x1000);
        request.getAtomic().setCompare_add(41);
        request.getAtomic().setSwap(42);
        request.getAtomic().setRkey(7);

        write(request);

        assertThat(struct.get(JAVA_LONG, 0)).isEqualTo(99);
        assertThat(struct.get(JAVA_LONG, 16)).isEqualTo(elements.address());
        assertThat(struct.get(JAVA_INT, 24)).isEqualTo(1);
        assertThat(struct.get(JAVA_INT, 28)).isEqualTo(5);
        assertThat(struct.get(JAVA_LONG, 40)).isEqualTo(0x1000);
        assertThat(struct.get(JAVA_LONG, 48)).isEqualTo(41);
        assertThat(struct.get(JAVA_LONG, 56)).isEqualTo(42);
        assertThat(struct.get(JAVA_INT, 64)).isEqualTo(7);
    }

    @Test
    void aReadTakesItsKeyFromTheRdmaPart() {
        IbvSendWR request = request(IbvSendWR.IBV_WR_RDMA_READ);
        request.getRdma().setRemote_addr(0x2000);
        request.getRdma().setRkey(8);

        write(request);

        assertThat(struct.get(JAVA_LONG, 40)).isEqualTo(0x2000);
        assertThat(struct.get(JAVA_INT, 48)).isEqualTo(8);
    }

    @Test
    void whatIsChangedInPlaceIsWhatIsPostedNext() {
        SendWorkRequest written = write(request(IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD));

        written.setWr_id(100);
        written.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        written.getAtomicMod().setCompare_add(-3);
        written.getAtomicMod().setRemote_addr(0x3000);
        written.getSgeMod(0).setAddr(0x4000);

        assertThat(struct.get(JAVA_LONG, 0)).isEqualTo(100);
        assertThat(struct.get(JAVA_INT, 32)).isEqualTo(2);
        assertThat(struct.get(JAVA_LONG, 40)).isEqualTo(0x3000);
        assertThat(struct.get(JAVA_LONG, 48)).isEqualTo(-3);
        assertThat(elements.get(JAVA_LONG, 0)).isEqualTo(0x4000);
        assertThat(elements.get(JAVA_INT, 8)).isEqualTo(8);
        assertThat(elements.get(JAVA_INT, 12)).isEqualTo(5);
    }

    @Test
    void whatIsNotAWorkRequestIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> write(request(17))).withMessageContaining("opcode=17");
    }

    private SendWorkRequest write(IbvSendWR request) {
        return new SendWorkRequest(request, struct, elements);
    }

    private static IbvSendWR request(int opcode) {
        IbvSge element = new IbvSge();
        element.setAddr(0x5000);
        element.setLength(8);
        element.setLkey(5);
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(99);
        request.setOpcode(opcode);
        request.setSg_list(new LinkedList<>(List.of(element)));
        return request;
    }
}
