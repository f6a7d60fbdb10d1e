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
 * @param bind the address of this host to listen at
 * @param port where rank 0 listens, rank r listens r above; 0 for any
 * @param host the name or address by which other ranks reach this host, resolved at each attempt to connect; null for
 * the address of {@code bind}
 * @param lanes connections to each rank; a thread uses one of them
 * @param silenceTimeout a connection on which an answer is due, and nothing comes for so long, is broken
 * @param connectTimeout how long the greeting of a connection may take, encryption included
 * @param mapsItsHost whether ranks of this host are reached by the memory that it shares with them
 * @param security by what ranks know each other; null for anybody, which is possible within this host only
 * @param addresses where each rank listens, instead of bind and port, for ranks on several hosts without a membership;
 * empty where a membership tells. Names are resolved when they are needed
 */
public record Tcp(FabricType segments, String bind, int port, @Nullable String host, int lanes,
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
        addresses = List.copyOf(addresses);
    }

    private static void refuseBeyondADay(String name, Duration timeout) {
        if (timeout.compareTo(MOST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("a timeout of a day or less is needed: " + name + "=" + timeout);
        }
    }

    /** Within this host, at any port. */
    public Tcp(FabricType segments) {
        this(segments, "localhost", 0, null, LANES, SILENCE_TIMEOUT, CONNECT_TIMEOUT, true, null, List.of());
    }

    /** The same, but it listens there. */
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

    /** The same, but each rank listens where the list says. */
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
        if (addresses.isEmpty()) {
            Addresses.refuseUnlessPortsSuffice(port, world, Reason.ADDRESS_UNAVAILABLE);
        }
        return TcpAttachment.open(this, world, segments.attach(world, rank, segmentBytes));
    }

    /**
     * By what ranks know each other where one listens at that address.
     *
     * @throws JoinRefusedException if nobody has said so, and other hosts reach the address
     */
    Security securityAt(InetSocketAddress listening) {
        if (security != null) {
            return security;
        }
        if (!listening.getAddress().isLoopbackAddress()) {
            throw new JoinRefusedException(Reason.UNSECURED,
                    "whoever reaches the port could read and write the segment, give all processes the same secret"
                            + " or certificates, or say that anybody may: bind=" + listening.getHostString());
        }
        return Security.none();
    }

    /**
     * Where a rank listens.
     *
     * @throws JoinRefusedException if there is no such host
     */
    InetSocketAddress listeningAddress(int rank) {
        InetSocketAddress named = addresses.isEmpty()
                ? InetSocketAddress.createUnresolved(bind, port == 0 ? 0 : port + rank)
                : addresses.get(rank);
        InetSocketAddress listening = new InetSocketAddress(named.getHostString(), named.getPort());
        if (listening.isUnresolved()) {
            throw new JoinRefusedException(Reason.ADDRESS_UNAVAILABLE,
                    "there is no such host, choose an address of this one: bind=" + named.getHostString() + " port="
                            + named.getPort() + " rank=" + rank);
        }
        return listening;
    }
}
