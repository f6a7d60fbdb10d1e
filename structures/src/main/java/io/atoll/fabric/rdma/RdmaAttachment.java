package io.atoll.fabric.rdma;

import io.atoll.disni.ForeignProvider;
import io.atoll.disni.MemoryRegion;
import io.atoll.disni.RdmaUnavailableException;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Connections;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.LinkedAttachment;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.PeerProbe;
import io.atoll.fabric.link.Transport;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens the device of a rank. The device serves the rank's segment to the others. */
final class RdmaAttachment {

    private final Rdma settings;
    private final WorldIdentity world;
    private final Attachment host;

    private RdmaAttachment(Rdma settings, WorldIdentity world, Attachment host) {
        this.settings = settings;
        this.world = world;
        this.host = host;
    }

    /** @param host this process's attachment on its host; it is closed with the result, or if opening fails */
    static Attachment open(Rdma settings, WorldIdentity world, Attachment host) {
        // The card's atomics may not be coherent with the CPU's, so ranks of this host go through the card, too.
        return LinkedAttachment.open(host, false, new RdmaAttachment(settings, world, host)::open,
                failure -> new JoinRefusedException(reason(failure),
                        "RDMA cannot be used here: " + failure.getMessage(), failure));
    }

    private static Reason reason(Exception failure) {
        if (!(failure instanceof RdmaUnavailableException unavailable)) {
            return Reason.FABRIC_UNAVAILABLE;
        }
        return switch (unavailable.lack()) {
            case DEVICE -> Reason.NO_RDMA_DEVICE;
            case ATOMICS -> Reason.NO_RDMA_ATOMICS;
            case LOCKED_MEMORY -> Reason.LOCKED_MEMORY;
        };
    }

    private Transport open(Deque<AutoCloseable> opened) throws IOException {
        ForeignProvider.install();
        int rank = host.fabric().rank();
        LocalMemory segment = host.fabric().local();
        Device device = settings.listen(rank);
        opened.push(device);
        MemoryRegion region = device.register(segment.view(0, segment.size()), Device.SHARED);
        opened.push(region::deregister);
        RemoteSegment answer = new RemoteSegment(region.getAddr(), region.lengthBytes(), region.getRkey());
        Keys keys = Keys.of(settings.secrets(), "rdma", world);
        Responder responder = new Responder(world, rank, host.incarnation(), device, answer, segment, keys);
        opened.push(responder);
        Alarm alarm = new Alarm();
        Connector connector = new Connector(world, rank, host.incarnation(), segment, keys, device, settings.depth(),
                Clock.SYSTEM, new AtomicInteger(), alarm, new AddressesInTurn(world.size()));
        RdmaFabric fabric = new RdmaFabric(connector, settings, segment);
        opened.push(fabric);
        fabric.peerConnections()
                .open(new PeerAddress(rank, host.incarnation(), SegmentHeader.born(segment), device.address()));
        fabric.detectByteOrder();
        PeerProbe peerProbe = new PeerProbe(connector, settings.addresses(), fabric.peerConnections(),
                LinkedAttachment.runningHere(host), responder.accessControl()::isTold);
        opened.push(peerProbe);
        return new Transport("rdma", fabric, responder.accessControl(), peerProbe,
                device.address().getAddress().getHostAddress(), device.address(), alarm,
                List.of(responder.thread(), peerProbe.thread()),
                () -> new Connections("rdma", fabric.peerConnections().peers(), null,
                        responder.accessControl().refusals().byReason()));
    }
}
