package io.atoll.fabric.link;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The addresses at which ranks listen, as users write them and as Atoll uses them. */
public final class Addresses {

    private static final int LAST_PORT = 0xFFFF;
    /** Also matches names with underscores, which a URI does not allow. */
    private static final Pattern NAME_AND_PORT = Pattern.compile("([\\w.-]+)(?::([0-9]{1,5}))?");
    private static final int NO_PORT = 0;

    private Addresses() {}

    /**
     * Returns the address that {@code host:port} names, with IPv6 in brackets. The name is not resolved yet.
     *
     * @throws IllegalArgumentException if the text is no such address
     */
    public static InetSocketAddress parse(String hostAndPort) {
        return read(hostAndPort, NO_PORT, "host:port is needed");
    }

    /**
     * Returns the address that {@code host} or {@code host:port} names, with IPv6 in brackets. The name is not resolved
     * yet.
     *
     * @param port the port for a host without one
     * @throws IllegalArgumentException if the text is no such address
     */
    public static InetSocketAddress parse(String hostAndPort, int port) {
        return read(hostAndPort, port, "an address is host or host:port");
    }

    private static InetSocketAddress read(String text, int portUnlessTold, String needed) {
        Matcher name = NAME_AND_PORT.matcher(text);
        if (name.matches()) {
            int port = name.group(2) == null ? portUnlessTold : Integer.parseInt(name.group(2));
            if (isPort(port)) {
                return InetSocketAddress.createUnresolved(name.group(1), port);
            }
        }
        try {
            URI address = new URI("//" + text);
            boolean isTold = address.getPort() >= 0;
            int port = isTold ? address.getPort() : portUnlessTold;
            if (isPort(port) && text.equals(address.getHost() + (isTold ? ":" + port : ""))) {
                return InetSocketAddress.createUnresolved(address.getHost(), port);
            }
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException(needed + ": address=" + text, malformed);
        }
        throw new IllegalArgumentException(needed + ": address=" + text);
    }

    private static boolean isPort(int number) {
        return number > 0 && number <= LAST_PORT;
    }

    /**
     * Refuses a list that does not say where each rank listens. Also refuses a list without a rank that says which
     * entry is this process.
     *
     * @param addresses empty if there is no list
     */
    public static void refuseUnlessListed(List<InetSocketAddress> addresses, WorldIdentity world, OptionalInt rank) {
        if (addresses.isEmpty()) {
            return;
        }
        if (addresses.size() != world.size()) {
            throw new JoinRefusedException(Reason.FABRIC_UNAVAILABLE,
                    "each rank needs one address, list as many as the world has ranks: addresses="
                            + addresses.size() + " size=" + world.size());
        }
        if (rank.isEmpty()) {
            throw new JoinRefusedException(Reason.RANK_UNKNOWN,
                    "with addresses for the ranks of several hosts each process must be told which it is,"
                            + " give it a rank: rank=none");
        }
    }

    /**
     * Refuses a loopback address if the list has another address for some rank: other hosts cannot reach a loopback
     * address.
     *
     * @param addresses empty if there is no list
     * @param own the rank's address, as this host resolves its name
     */
    public static void refuseLoopbackBesideOtherHosts(List<InetSocketAddress> addresses, InetSocketAddress own,
            int rank) {
        if (own.getAddress().isLoopbackAddress() && addresses.stream().anyMatch(Addresses::isBeyondLoopback)) {
            throw new JoinRefusedException(Reason.UNREACHABLE,
                    "on this host the rank's name stands for a loopback address, which other hosts of the list cannot"
                            + " reach, list another name or an address: host=" + own.getHostString() + " found="
                            + own.getAddress().getHostAddress() + " rank=" + rank);
        }
    }

    private static boolean isBeyondLoopback(InetSocketAddress named) {
        InetSocketAddress address = new InetSocketAddress(named.getHostString(), named.getPort());
        return !address.isUnresolved() && !address.getAddress().isLoopbackAddress();
    }

    /** Returns true if this host resolves the name or address to loopback. */
    public static boolean isLoopback(String host) {
        InetSocketAddress address = new InetSocketAddress(host, 0);
        return !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    }

    /**
     * Refuses a first port if fewer ports than ranks follow it.
     *
     * @param firstPort where rank 0 listens; rank r listens at firstPort + r; 0 for any port
     */
    public static void refuseUnlessPortsSuffice(int firstPort, WorldIdentity world, Reason reason) {
        if (firstPort > LAST_PORT - world.size() + 1) {
            throw new JoinRefusedException(reason, "rank r listens r above the port, and ports end at " + LAST_PORT
                    + ", choose a lower one: port=" + firstPort + " size=" + world.size());
        }
    }
}
