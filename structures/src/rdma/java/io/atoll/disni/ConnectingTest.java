package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.atoll.fabric.rdma.NeedsRdmaDevice;
import io.atoll.fabric.rdma.RdmaDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsRdmaDevice
class ConnectingTest {

    private static final int NOBODY_LISTENS_HERE = 1;

    private final Arena arena = Arena.ofAuto();

    @BeforeEach
    void install() {
        ForeignProvider.install();
    }

    @Test
    void bothEndsReceiveTheOthersPrivateData() throws Exception {
        RdmaConnParam asked = parameters("who I am");
        RdmaConnParam answered = parameters("and I am this");

        try (Connection connection = new Connection(asked, answered)) {
            assertThat(privateData(connection.request)).startsWith("who I am");
            assertThat(privateData(connection.acceptance)).startsWith("and I am this");
        }
    }

    @Test
    void anEndKnowsItsAddressAndItsPeers() throws Exception {
        try (Connection connection = new Connection()) {
            assertThat(connection.client.id.getDestination()).isEqualTo(connection.server.id.getSource());
            assertThat(connection.client.id.getSource()).isEqualTo(connection.server.id.getDestination());
            assertThat(((InetSocketAddress) connection.client.id.getSource()).getAddress())
                    .isEqualTo(RdmaDevice.address());
            assertThat(connection.client.id.getPort_num()).isEqualTo((byte) 1);
        }
    }

    @Test
    void disconnectingTellsThePeer() throws Exception {
        try (Connection connection = new Connection()) {
            assertThat(connection.client.id.disconnect()).isZero();

            RdmaCmEvent event = Connection.expect(connection.serverEvents(), EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(event.getConnIdPriv()).isSameAs(connection.server.id);
        }
    }

    @Test
    void nobodyListeningIsARejection() throws Exception {
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId id = Connection.resolve(events, new InetSocketAddress(RdmaDevice.address(), NOBODY_LISTENS_HERE));
        Peer client = new Peer(id);

        id.connect(new RdmaConnParam());

        RdmaCmEvent event = Connection.expect(events, EventType.RDMA_CM_EVENT_REJECTED);
        assertThat(event.getStatus()).isNotZero();
        client.close();
        assertThat(events.destroyEventChannel()).isZero();
    }

    @Test
    void waitingForAnEventEndsWithTheTime() throws Exception {
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();

        assertThat(events.getCmEvent(10)).isNull();

        assertThat(events.destroyEventChannel()).isZero();
    }

    @Test
    void whatWasDestroyedRefusesEveryCall() throws Exception {
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        assertThat(id.destroyId()).isZero();
        assertThat(events.destroyEventChannel()).isZero();

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> id.listen(1)).withMessageContaining("destroyed");
        assertThatExceptionOfType(IOException.class).isThrownBy(id::destroyId).withMessageContaining("destroyed");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> events.getCmEvent(0))
                .withMessageContaining("destroyed");
    }

    private RdmaConnParam parameters(String privateData) throws IOException {
        MemorySegment bytes = arena.allocateFrom(privateData);
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setPrivate_data(bytes.address());
        parameters.setPrivate_data_len((byte) bytes.byteSize());
        return parameters;
    }

    @SuppressWarnings("restricted") // DiSNI has addresses as numbers.
    private static String privateData(RdmaCmEvent event) {
        int bytes = Byte.toUnsignedInt(event.getConn().getPrivate_data_len());
        return new String(
                MemorySegment.ofAddress(event.getConn().getPrivate_data()).reinterpret(bytes).toArray(JAVA_BYTE));
    }
}
