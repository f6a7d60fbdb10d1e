package io.atoll.fabric.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import io.atoll.disni.ForeignProvider;
import io.atoll.disni.MemoryRegion;
import io.atoll.disni.SendChain;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
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
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a lane marks the work requests that it posts. */
@NeedsRdmaDevice
@Timeout(60)
class LaneTest {

    private static final WorldIdentity WORLD = new WorldIdentity("verbs-lane", 2);
    private static final long PLACE = SegmentHeader.size(WORLD.maxSize());
    private static final int DEPTH = 64;
    private static final int MOST_INLINE_BYTES = 64; // Atoll asks for this number, and Soft-RoCE grants it
    private static final int LARGER_BYTES = 1 << 10;
    private static final int NO_KEY = 0;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment = arena.allocate(PLACE + LARGER_BYTES,
            Layouts.CACHE_LINE);
    private final MemorySegment own = arena.allocate(LARGER_BYTES, Layouts.CACHE_LINE);

    private Device device;
    private MemoryRegion region;
    private MemoryRegion registered; // own memory
    private Responder responder;
    private QueuePairLane lane;

    @BeforeEach
    void connect() throws IOException {
        ForeignProvider.install();
        device = Device.listen(new InetSocketAddress(RdmaDevice.address(), 0));
        region = device.register(segment, Device.SHARED);
        registered = device.register(own, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        RemoteSegment answer = new RemoteSegment(region.getAddr(), region.lengthBytes(), region.getRkey());
        responder = new Responder(WORLD, 1, 1, device, answer, new MappedMemory(segment),
                Secrets.none(WORLD));
        responder.accessControl().meet(0, 1);
        Connector connector = new Connector(WORLD, 0, 1, new MappedMemory(segment), Secrets.none(WORLD), device, DEPTH,
                Clock.SYSTEM, new AtomicInteger(), new Alarm(), new AddressesInTurn(WORLD.size()));
        lane = connector.connect(new PeerAddress(1, 1, device.address()), 0,
                ConnectDeadline.of(Clock.SYSTEM, connector.timeout()), "write", PLACE);
    }

    @AfterEach
    void disconnect() throws IOException {
        lane.close("the test is over");
        responder.close();
        region.deregister();
        registered.deregister();
        device.close();
        arena.close();
    }

    private IbvSendWR request(int opcode, int bytes, int key) {
        IbvSge element = new IbvSge();
        element.setAddr(own.address());
        element.setLength(bytes);
        element.setLkey(key);
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(opcode);
        request.setSg_list(new LinkedList<>(List.of(element)));
        request.getRdma().setRemote_addr(lane.remote().address() + PLACE);
        request.getRdma().setRkey(lane.remote().key());
        return request;
    }

    private void execute(SendChain chain) {
        lane.await(lane.post(chain, 0, chain.size() - 1, chain.size(), true, "write", PLACE), "write", PLACE);
    }

    private void writeUnregistered(int bytes) {
        execute(new SendChain(List.of(request(IbvSendWR.IBV_WR_RDMA_WRITE, bytes, NO_KEY))));
    }

    /** Inline words were copied when they were posted: the device never checks whose memory they came from. */
    @Test
    void aWriteOfACacheLineIsInline() {
        own.set(JAVA_LONG, MOST_INLINE_BYTES - Long.BYTES, 7);

        writeUnregistered(MOST_INLINE_BYTES);

        assertThat(segment.get(JAVA_LONG, PLACE + MOST_INLINE_BYTES - Long.BYTES)).isEqualTo(7);
    }

    @Test
    void aLargerWriteIsFetchedByTheDeviceAndFromRegisteredMemoryOnly() {
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> writeUnregistered(LARGER_BYTES))
                .withMessageContaining("status=[IBV_WC_LOC_");
    }

    @Test
    void aWriteWaitsForReadsThatAreUnderWayAndForNothingElse() {
        int key = registered.getLkey();
        SendChain chain = new SendChain(List.of(request(IbvSendWR.IBV_WR_RDMA_WRITE, Long.BYTES, key),
                request(IbvSendWR.IBV_WR_RDMA_READ, Long.BYTES, key),
                request(IbvSendWR.IBV_WR_RDMA_READ, Long.BYTES, key),
                request(IbvSendWR.IBV_WR_RDMA_WRITE, Long.BYTES, key)));

        execute(chain);
        assertThat(fenced(chain)).containsExactly(false, false, false, true);

        SendChain afterwards = new SendChain(List.of(request(IbvSendWR.IBV_WR_RDMA_WRITE, Long.BYTES, key)));
        execute(afterwards);
        assertThat(fenced(afterwards)).containsExactly(false);
    }

    private static List<Boolean> fenced(SendChain chain) {
        return IntStream.range(0, chain.size())
                .mapToObj(index -> (chain.request(index).getSend_flags() & IbvSendWR.IBV_SEND_FENCE) != 0)
                .toList();
    }
}
