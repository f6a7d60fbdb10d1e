package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.Links;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * TCP between hosts, and the memory that they share between ranks of one host. A world of one rank has nobody to reach.
 *
 * @param segments where a rank has its segment on its host, so that it outlives the process: shared memory
 * @param bind the address of this host to listen at; null for that of the list, and without a list for localhost
 * @param port where rank 0 listens, rank r listens r above; 0 for the port of the list, and without a list for any
 * @param host the name or address by which other ranks reach this host, resolved at each attempt to connect; null for
 * the address of {@code bind}. A list says it otherwise
 * @param lanes connections to each rank; a thread uses one of them
 * @param silenceTimeout a connection on which an answer is due, and nothing comes for so long, is broken
 * @param connectTimeout how long the greeting of a connection may take, encryption included; where the rank has let this
 * one in before, the silence timeout if that is shorter
 * @param mapsItsHost whether ranks of this host are reached by the memory that it shares with them
 * @param security by what ranks know each other; null for anybody, which is possible within this host only
 * @param addresses where others reach each rank, for ranks on several hosts without a membership; empty where a
 * membership tells. A rank listens there, too, unless {@code bind} or {@code port} say otherwise. Names are resolved
 * when they are needed
 */
public record Tcp(FabricType segments, @Nullable String bind, int port, @Nullable String host, int lanes,
        Duration silenceTimeout, Duration connectTimeout, boolean mapsItsHost, @Nullable Security security,
        List<InetSocketAddress> addresses)
        implements
            FabricType {

    /** Connections to each rank. */
    public static final int LANES = 2;

    /** As the membership waits for a rank. */
    public static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(5);

    /** As an operation waits for a rank that lives: one that has just been started, or that many call, is slow. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private static final String THIS_HOST = "localhost";

    private static final Duration MOST_TIMEOUT = Duration.ofDays(1);

    public Tcp {
        if (lanes < 1 || lanes > Links.MOST_LANES) {
            throw new IllegalArgumentException("from 1 to " + Links.MOST_LANES + " are possible: lanes=" + lanes);
        }
        if (port < 0 || port > 0xFFFF) {
            throw new IllegalArgumentException("ports run from 0 to 65535: port=" + port);
        }
        if (silenceTimeout.compareTo(LaneKeeper.INTERVAL.multipliedBy(2)) < 0) {
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

    /** Within this host, at any port. */
    public Tcp(FabricType segments) {
        this(segments, null, 0, null, LANES, SILENCE_TIMEOUT, CONNECT_TIMEOUT, true, null, List.of());
    }

    /**
     * The same, but it listens there.
     *
     * @param firstPort where rank 0 listens, rank r listens r above; 0 for the port of the list, and without a list for
     * any
     */
    public Tcp bind(String address, int firstPort) {
        return new Tcp(segments, address, firstPort, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, security,
                addresses);
    }

    /** The same, but other ranks reach this host by that name or address. */
    public Tcp advertise(String nameOrAddress) {
        return new Tcp(segments, bind, port, nameOrAddress, lanes, silenceTimeout, connectTimeout, mapsItsHost,
                security, addresses);
    }

    /** The same, but with so many connections to each rank. */
    public Tcp lanes(int count) {
        return new Tcp(segments, bind, port, host, count, silenceTimeout, connectTimeout, mapsItsHost, security,
                addresses);
    }

    /** The same, but a connection may be silent for so long. */
    public Tcp silenceTimeout(Duration timeout) {
        return new Tcp(segments, bind, port, host, lanes, timeout, connectTimeout, mapsItsHost, security, addresses);
    }

    /** The same, but a greeting may take so long. */
    public Tcp connectTimeout(Duration timeout) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, timeout, mapsItsHost, security, addresses);
    }

    /** The same, but ranks of this host are reached by TCP, too. */
    public Tcp withoutSharedMemory() {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, false, security, addresses);
    }

    /** The same, but others reach each rank where the list says, and it listens there unless told otherwise. */
    public Tcp at(List<InetSocketAddress> everyRank) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, security,
                everyRank);
    }

    /** The same, but ranks know each other so. */
    public Tcp security(Security between) {
        return new Tcp(segments, bind, port, host, lanes, silenceTimeout, connectTimeout, mapsItsHost, between,
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

    /** Loopback is reached by way of another port of this host, if somebody says by what name. */
    @Override
    public boolean isReachedFromThisHostOnly() {
        return addresses.isEmpty() && (bind == null || host == null && Addresses.isLoopback(bind));
    }

    /**
     * By what ranks know each other where one listens at that address.
     *
     * @throws JoinRefusedException if nobody has said so, and other hosts reach the address, or are told another
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
     * Where a rank listens.
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
