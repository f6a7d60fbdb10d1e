package io.atoll.fabric.link;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.OptionalInt;

/** Where ranks listen, as users write it and as it is used. */
public final class Addresses {

    private Addresses() {}

    /**
     * Returns what {@code host:port} means, with IPv6 in brackets. The name is not resolved yet.
     *
     * @throws IllegalArgumentException if it means nothing
     */
    public static InetSocketAddress parse(String hostAndPort) {
        try {
            URI address = new URI("//" + hostAndPort);
            if (address.getHost() != null && address.getPort() > 0 && address.getPath().isEmpty()) {
                return InetSocketAddress.createUnresolved(address.getHost(), address.getPort());
            }
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException("host:port is needed: address=" + hostAndPort, malformed);
        }
        throw new IllegalArgumentException("host:port is needed: address=" + hostAndPort);
    }

    /**
     * Resolves the name of the host anew: it may have moved.
     *
     * @throws RankUnreachableException if there is no such host
     */
    public static InetSocketAddress resolve(InetSocketAddress named, int rank, String verb, long offset) {
        InetSocketAddress address = new InetSocketAddress(named.getHostString(), named.getPort());
        if (address.isUnresolved()) {
            throw new RankUnreachableException("there is no such host, correct the address of the rank",
                    "host=" + named.getHostString(), verb, rank, offset);
        }
        return address;
    }

    /**
     * Refuses a list that does not say where each rank listens, or not which of them this process is.
     *
     * @param addresses empty where there is no list
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
            throw new JoinRefusedException(Reason.FABRIC_UNAVAILABLE,
                    "with addresses for the ranks of several hosts each process must be told which it is,"
                            + " give it a rank: rank=none");
        }
    }
}
