package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.atoll.fabric.rdma.RdmaDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** A client and a server of this process, connected over a device. Written against DiSNI's API alone. */
final class Connection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 30_000;
    private static final byte NO_RETRIES = 0;

    final Peer client;
    final Peer server;
    /** The request as the server saw it. */
    final RdmaCmEvent request;
    /** The acceptance as the client saw it. */
    final RdmaCmEvent acceptance;
    private final RdmaEventChannel clientEvents;
    private final RdmaEventChannel serverEvents;
    private final RdmaCmId listening;

    Connection() throws Exception {
        this(new RdmaConnParam(), new RdmaConnParam());
    }

    Connection(RdmaConnParam asked, RdmaConnParam answered) throws Exception {
        asked.setRetry_count(NO_RETRIES);
        serverEvents = RdmaEventChannel.createEventChannel();
        listening = serverEvents.createId(RdmaCm.RDMA_PS_TCP);
        listening.bindAddr(new InetSocketAddress(RdmaDevice.address(), 0));
        listening.listen(1);
        clientEvents = RdmaEventChannel.createEventChannel();
        RdmaCmId id = resolve(clientEvents, listening.getSource());
        client = new Peer(id);
        id.connect(asked);
        request = expect(serverEvents, EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
        server = new Peer(request.getConnIdPriv());
        request.getConnIdPriv().accept(answered);
        acceptance = expect(clientEvents, EventType.RDMA_CM_EVENT_ESTABLISHED);
        expect(serverEvents, EventType.RDMA_CM_EVENT_ESTABLISHED);
    }

    /** An identifier that knows the way to an address. */
    static RdmaCmId resolve(RdmaEventChannel events, SocketAddress destination) throws Exception {
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, destination, TIMEOUT_MILLIS);
        expect(events, EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        id.resolveRoute(TIMEOUT_MILLIS);
        expect(events, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        return id;
    }

    static RdmaCmEvent expect(RdmaEventChannel events, EventType type) throws Exception {
        RdmaCmEvent event = events.getCmEvent(TIMEOUT_MILLIS);
        assertThat(event).as("waiting for " + type).isNotNull();
        assertThat(EventType.values()[event.getEvent()]).isEqualTo(type);
        event.ackEvent();
        return event;
    }

    RdmaEventChannel serverEvents() {
        return serverEvents;
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        assertThat(listening.destroyId()).isZero();
        assertThat(clientEvents.destroyEventChannel()).isZero();
        assertThat(serverEvents.destroyEventChannel()).isZero();
    }
}
