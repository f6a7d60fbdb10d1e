package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Connections;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.LinkedAttachment;
import io.atoll.fabric.link.PeerProbe;
import io.atoll.fabric.link.Transport;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Opens the port of a rank, and serves the rank's segment to the others. */
class TcpAttachment {

    private final Tcp settings;
    private final WorldIdentity world;
    private final Attachment host;

    TcpAttachment(Tcp settings, WorldIdentity world, Attachment host) {
        this.settings = settings;
        this.world = world;
        this.host = host;
    }

    /** @param host this process's attachment on its host; it is closed with the result, or if opening fails */
    static Attachment open(Tcp settings, WorldIdentity world, Attachment host) {
        return new TcpAttachment(settings, world, host).open();
    }

    Attachment open() {
        return LinkedAttachment.open(host, settings.mapsItsHost(), this::open, this::refused);
    }

    private JoinRefusedException refused(Exception failure) {
        if (failure instanceof JoinRefusedException refused) {
            return refused;
        }
        return failure instanceof IOException noPort
                ? withoutPort(noPort)
                : new JoinRefusedException(Reason.FABRIC_UNAVAILABLE,
                        "it cannot be opened with these settings, correct them: rank=" + host.fabric().rank()
                                + " cause=[" + failure + "]",
                        failure);
    }

    private JoinRefusedException withoutPort(IOException failure) {
        int rank = host.fabric().rank();
        InetSocketAddress wanted = settings.listeningAddress(rank);
        return new JoinRefusedException(Reason.ADDRESS_UNAVAILABLE,
                "the port cannot be opened, choose another port or an address of this host: bind="
                        + wanted.getHostString() + " port=" + wanted.getPort() + " rank=" + rank + " cause=["
                        + failure + "]",
                failure);
    }

    Transport open(Deque<AutoCloseable> opened) throws IOException {
        int rank = host.fabric().rank();
        int incarnation = host.incarnation();
        LocalMemory segment = host.fabric().local();
        String name = "atoll-tcp-" + world.name() + "-" + rank;
        InetSocketAddress listening = settings.listeningAddress(rank);
        if (settings.bind() == null) {
            Addresses.refuseLoopbackBesideOtherHosts(settings.addresses(), listening, rank);
        }
        Security security = settings.securityAt(listening, rank);
        Keys keys = security.keys(world);
        Encryption encryption = security.encryption();
        Listener listener = listen(settings, world, rank, incarnation, segment, keys, encryption);
        opened.push(listener);
        Alarm alarm = new Alarm();
        LaneReader reader = new LaneReader(name + "-reader", Spin.of(settings));
        opened.push(reader);
        LaneMonitor laneMonitor = new LaneMonitor(name + "-monitor", settings.silenceTimeout(), alarm);
        opened.push(laneMonitor);
        TcpConnector connector = new TcpConnector(world, rank, incarnation, segment, keys, encryption, reader,
                laneMonitor,
                Clock.SYSTEM, () -> Spin.of(settings), settings.connectTimeout(), new AtomicInteger(),
                new AddressesInTurn(world.size()));
        TcpFabric fabric = new TcpFabric(host.fabric(), connector, settings.lanes());
        opened.push(fabric);
        PeerProbe peerProbe = new PeerProbe(connector, settings.addresses(), fabric.peerConnections(),
                LinkedAttachment.runningHere(host), listener.accessControl()::isTold);
        opened.push(peerProbe);
        List<BackgroundThread> threads = new ArrayList<>(listener.threads());
        threads.addAll(List.of(reader.thread(), laneMonitor.thread(), peerProbe.thread()));
        return new Transport("tcp", fabric, listener.accessControl(), peerProbe,
                advertised(listener.address()), reachableHere(listener.address()), alarm, threads,
                () -> new Connections("tcp", laneMonitor.peers(), laneMonitor.traffic(),
                        listener.refusals().byReason()));
    }

    /** Opens the port. A test may listen in another way. */
    Listener listen(Tcp tcp, WorldIdentity identity, int rank, int incarnation, LocalMemory segment, Keys keys,
            @Nullable Encryption encryption) throws IOException {
        return new Listener(tcp, identity, rank, incarnation, segment, keys, encryption, Listener.MOST_THREADS);
    }

    /** Returns where processes of this host reach a listener, also one that listens at every address. */
    private static InetSocketAddress reachableHere(InetSocketAddress listening) {
        return listening.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), listening.getPort())
                : listening;
    }

    private String advertised(InetSocketAddress listening) {
        @Nullable String told = settings.host();
        if (told != null) {
            return told;
        }
        InetAddress address = listening.getAddress();
        return address.isAnyLocalAddress() ? nameOfThisHost() : address.getHostAddress();
    }

    private String nameOfThisHost() {
        try {
            return ownName();
        } catch (UnknownHostException unknown) {
            throw new JoinRefusedException(Reason.UNREACHABLE,
                    "it listens at every address, and the name of this host is not known to the name service, say by"
                            + " what name or address others reach it: bind=" + settings.bind() + " cause=[" + unknown
                            + "]",
                    unknown);
        }
    }

    /** Returns this host's own name. A test may choose another one. */
    String ownName() throws UnknownHostException {
        return InetAddress.getLocalHost().getHostName();
    }
}
