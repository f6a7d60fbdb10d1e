package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * TCP between hosts, and shared memory between ranks of one host. A world of one rank reaches no other rank.
 *
 * @param segments where a rank has its segment on its host, so that the segment outlives the process: shared memory
 * @param bind the address of this host to listen at; null for that of the list, or for localhost without a list
 * @param port where rank 0 listens; rank r listens at port + r; 0 for the port of the list, or for any port without a
 * list
 * @param host the name or address by which other ranks reach this host, resolved at each attempt to connect; null for
 * the address of {@code bind}. Must be null if there is a list
 * @param lanes the number of connections to each rank; a thread uses one of them
 * @param silenceTimeout after this time a connection is broken if an answer is due and nothing has come
 * @param connectTimeout how long the handshake of a connection may take, encryption included. If the rank has let this
 * one in before, the shorter of this and the silence timeout counts
 * @param mapsItsHost true if this rank reaches the ranks of its host by shared memory
 * @param spins true if a thread that waits looks for a while before it sleeps, as long as that pays. It keeps a
 * processor busy meanwhile
 * @param security how ranks know each other; null to let every process in, which is possible only within this host
 * @param addresses where others reach each rank, for ranks on several hosts without a membership; empty if a membership
 * tells. A rank also listens there, unless {@code bind} or {@code port} say otherwise. Names are resolved when they are
 * needed
 */
public record Tcp(FabricType segments, @Nullable String bind, int port, @Nullable String host, int lanes,
        Duration silenceTimeout, Duration connectTimeout, boolean mapsItsHost, boolean spins,
        @Nullable Security security,
        List<InetSocketAddress> addresses)
        implements
            FabricType {

    /** The default number of connections to each rank. */
    public static final int LANES = 2;

    /** The default silence timeout. The membership waits for a rank for the same time. */
    public static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(5);

    /**
     * The default connect timeout. An operation waits for a living rank for the same time. A rank is slow if it has
     * just been started, or if many others call it.
     */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final String THIS_HOST = "localhost";

    private static final Duration MOST_TIMEOUT = Duration.ofDays(1);

    public Tcp {
        if (lanes < 1 || lanes > PeerConnections.MOST_LANES) {
            throw new IllegalArgumentException(
                    "from 1 to " + PeerConnections.MOST_LANES + " are possible: lanes=" + lanes);
        }
        if (port < 0 || port > 0xFFFF) {
            throw new IllegalArgumentException("ports run from 0 to 65535: port=" + port);
        }
        if (silenceTimeout.compareTo(LaneMonitor.INTERVAL.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("a timeout of half a second or more is needed: silenceTimeout="
                    + silenceTimeout);
        }
        if (connectTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("a timeout of a millisecond or more is needed: connectTimeout="
                    + connectTimeout);
        }
        refuseBeyondADay("silenceTimeout", silenceTimeout);
        refuseBeyondADay("connectTimeout", connectTimeout);
        if (host != null && !addresses.isEmpty()) {
            throw new IllegalArgumentException("the list of addresses says where others reach each rank, give one of"
                    + " both: host=" + host + " addresses=" + addresses);
        }
        addresses = List.copyOf(addresses);
    }

    private static void refuseBeyondADay(String name, Duration timeout) {
        if (timeout.compareTo(MOST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("a timeout of a day or less is needed: " + name + "=" + timeout);
        }
    }

    /** Creates TCP within this host, at any port. */
    public Tcp(FabricType segments) {
        this(segments, null, 0, null, LANES, SILENCE_TIMEOUT, CONNECT_TIMEOUT, true, true, null, List.of());
    }

    /**
     * Returns the same settings, but ranks listen at this address.
     *
     * @param firstPort where rank 0 listens; rank r listens at firstPort + r; 0 for the port of the list, or for any
     * port without a list
     */
    public Tcp bind(String address, int firstPort) {
        return new Tcp(segments, address, firstPort, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, spins,
                security,
                addresses);
    }

    /** Returns the same settings, but other ranks reach this host by this name or address. */
    public Tcp advertise(String nameOrAddress) {
        return new Tcp(segments, bind, port, nameOrAddress, lanes, silenceTimeout, connectTimeout, mapsItsHost, spins,
                security, addresses);
    }

    /** Returns the same settings with this number of connections to each rank. */
    public Tcp lanes(int count) {
        return new Tcp(segments, bind, port, host, count, silenceTimeout, connectTimeout, mapsItsHost, spins, security,
                addresses);
    }

    /** Returns the same settings with this silence timeout. */
    public Tcp silenceTimeout(Duration timeout) {
        return new Tcp(segments, bind, port, host, lanes, timeout, connectTimeout, mapsItsHost, spins, security,
                addresses);
    }

    /** Returns the same settings with this timeout for a handshake. */
    public Tcp connectTimeout(Duration timeout) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, timeout, mapsItsHost, spins, security,
                addresses);
    }

    /** Returns the same settings, but ranks of this host are reached by TCP, too. */
    public Tcp withoutSharedMemory() {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, false, spins, security,
                addresses);
    }

    /** Returns the same settings, but a thread that waits sleeps at once. */
    public Tcp withoutSpinning() {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, false, security,
                addresses);
    }

    /**
     * Returns the same settings, but others reach each rank where the list says. A rank also listens there, unless
     * {@code bind} or {@code port} say otherwise.
     */
    public Tcp at(List<InetSocketAddress> everyRank) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, spins,
                security, everyRank);
    }

    /** Returns the same settings with this security. */
    public Tcp security(Security between) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, spins, between,
                addresses);
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        if (world.size() == 1) {
            return segments.attach(world, rank, segmentBytes);
        }
        Addresses.refuseUnlessListed(addresses, world, rank);
        Addresses.refuseUnlessPortsSuffice(port, world, Reason.ADDRESS_UNAVAILABLE);
        return TcpAttachment.open(this, world, segments.attach(world, rank, segmentBytes));
    }

    /**
     * Other hosts may reach a loopback address by way of another port of this host, if {@code host} or the list names
     * it.
     */
    @Override
    public boolean isReachedFromThisHostOnly() {
        return addresses.isEmpty() && (bind == null || host == null && Addresses.isLoopback(bind));
    }

    /**
     * Returns how ranks know each other if one listens at this address.
     *
     * @throws JoinRefusedException if no security is set, and other hosts reach the address or are told another one
     */
    Security securityAt(InetSocketAddress listening, int rank) {
        if (security != null) {
            return security;
        }
        String told = told(listening, rank);
        if (!listening.getAddress().isLoopbackAddress() || !Addresses.isLoopback(told)) {
            throw new JoinRefusedException(Reason.UNSECURED,
                    "whoever reaches the port could read and write the segment, give all processes the same secret"
                            + " or certificates, or say that anybody may: bind=" + listening.getHostString() + " host="
                            + told);
        }
        return Security.none();
    }

    private String told(InetSocketAddress listening, int rank) {
        if (host != null) {
            return host;
        }
        return addresses.isEmpty() ? listening.getHostString() : addresses.get(rank).getHostString();
    }

    /**
     * Returns where a rank listens.
     *
     * @throws JoinRefusedException if there is no such host
     */
    InetSocketAddress listeningAddress(int rank) {
        InetSocketAddress listed = addresses.isEmpty()
                ? InetSocketAddress.createUnresolved(THIS_HOST, 0)
                : addresses.get(rank);
        InetSocketAddress listening = new InetSocketAddress(bind == null ? listed.getHostString() : bind,
                port == 0 ? listed.getPort() : port + rank);
        if (listening.isUnresolved()) {
            throw new JoinRefusedException(Reason.ADDRESS_UNAVAILABLE,
                    "there is no such host, choose an address of this one: bind=" + listening.getHostString()
                            + " port=" + listening.getPort() + " rank=" + rank);
        }
        return listening;
    }
}
