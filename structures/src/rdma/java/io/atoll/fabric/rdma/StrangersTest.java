package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.atoll.disni.CompletionQueue;
import io.atoll.disni.ConnectionId;
import io.atoll.disni.EventChannel;
import io.atoll.disni.ForeignProvider;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests peers that do not behave like ranks. */
@NeedsRdmaDevice
@Timeout(60)
class StrangersTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-strangers", 2);
    private static final int DEPTH = 64;
    private static final int TIMEOUT_MILLIS = 5_000;

    private Device device;

    @BeforeEach
    void listen() throws IOException {
        ForeignProvider.install();
        device = Device.listen(new InetSocketAddress(RdmaDevice.address(), 0));
    }

    /** The device does not close while anything made of it is left. */
    @AfterEach
    void nothingIsLeft() throws IOException {
        device.close();
    }

    @Test
    void whoLetsARankInWithoutAWordIsNoRank() throws Exception {
        isNotBelieved(Secrets.none(WORLD), "nobody listens there");
    }

    @Test
    void whoAsksForNoProofIsNotBelievedByARankThatKnowsASecret() throws Exception {
        isNotBelieved(Secrets.one(WORLD), "do not know the same secret");
    }

    private void isNotBelieved(Keys keys, String message) throws Exception {
        Connector connector = new Connector(WORLD, 0, 1, segment(), keys, device, DEPTH, Clock.SYSTEM,
                new AtomicInteger(), new Alarm(), new AddressesInTurn(WORLD.size()));
        try (var stranger = Executors.newSingleThreadExecutor()) {
            Future<ConnectionId> accepted = stranger.submit(this::accept);

            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> connector.connect(new PeerAddress(1, 1, device.address()), 0,
                            ConnectDeadline.of(Clock.SYSTEM, connector.timeout()), "read", 0))
                    .withMessageContaining(message);

            ConnectionId id = accepted.get();
            id.destroyQP();
            id.getQp().getSend_cq().destroyCQ();
            id.destroyId();
        }
    }

    private static MappedMemory segment() {
        return new MappedMemory(
                Arena.ofAuto().allocate(SegmentHeader.size(WORLD.maxSize()), Layouts.CACHE_LINE));
    }

    private ConnectionId accept() throws IOException {
        ConnectionId id = (ConnectionId) device.events().getCmEvent(TIMEOUT_MILLIS).getConnIdPriv();
        CompletionQueue completions = device.completionQueue(DEPTH);
        device.queuePair(id, completions, DEPTH);
        id.accept(new RdmaConnParam());
        return id;
    }

    @Test
    void ofWhoHasGoneBeforeItIsLetInNothingIsLeft() throws Exception {
        MappedMemory segment = segment();
        try (Responder responder = new Responder(WORLD, 1, 1, device, new RemoteSegment(0, 0, 0), segment,
                Secrets.none(WORLD))) {
            responder.accessControl().meet(0, 1);
            for (int stranger = 0; stranger < 5; stranger++) {
                EventChannel events = EventChannel.create();
                synchronized (responder.accessControl()) { // so that the owner cannot answer earlier
                    ConnectionId id = request(events);
                    awaitBlocked(thread("atoll-rdma-verbs-strangers-1"));
                    id.destroyId();
                }
                events.destroyEventChannel();
            }
            Connector connector = new Connector(WORLD, 0, 1, segment, Secrets.none(WORLD), device, DEPTH, Clock.SYSTEM,
                    new AtomicInteger(), new Alarm(), new AddressesInTurn(WORLD.size()));
            connector
                    .connect(new PeerAddress(1, 1, device.address()), 0,
                            ConnectDeadline.of(Clock.SYSTEM, connector.timeout()),
                            "read", 0)
                    .close("the test is over");
        }
    }

    private ConnectionId request(EventChannel events) throws IOException {
        ConnectionId id = ConnectionId.create(events, RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, device.address(), TIMEOUT_MILLIS);
        await(events, EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        id.resolveRoute(TIMEOUT_MILLIS);
        await(events, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = RdmaHandshake.HANDSHAKE.write(new ConnectRequest(WORLD, 0, 1, 1, 1, 0, 1), arena);
            RdmaConnParam parameters = new RdmaConnParam();
            parameters.setPrivate_data(data.address());
            parameters.setPrivate_data_len((byte) data.byteSize());
            id.connect(parameters);
        }
        return id;
    }

    private static void await(EventChannel events, EventType expected) throws IOException {
        assertThat(events.getCmEvent(TIMEOUT_MILLIS).getEvent()).isEqualTo(expected.ordinal());
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitBlocked(Thread thread) {
        while (thread.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
    }
}
