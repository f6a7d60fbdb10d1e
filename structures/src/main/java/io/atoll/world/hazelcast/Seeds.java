package io.atoll.world.hazelcast;

import io.atoll.fabric.link.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The addresses at which members of a world may be found. */
record Seeds(HazelcastSettings settings, int worldSize) {

    /** With spare ports, a process too many still finds a port, joins, and is told why it is refused. */
    static final int SPARE_PORTS = 4;

    private static final int LAST_PORT = 65_535;

    private static final Logger LOG = LoggerFactory.getLogger(Seeds.class);

    /** Returns how many ports there are to choose from. */
    int portCount() {
        return Math.min(worldSize + SPARE_PORTS, LAST_PORT - settings.port() + 1);
    }

    /** Returns the addresses as names resolve now; none where multicast finds the members. */
    Set<InetSocketAddress> addresses() {
        Stream<InetSocketAddress> found = switch (settings.discovery()) {
            case Discovery.SameHost() -> IntStream.range(0, portCount())
                    .mapToObj(index -> new InetSocketAddress(settings.bindAddress(), settings.port() + index));
            case Discovery.Addresses(var addresses) -> addresses.stream().flatMap(this::resolve);
            case Discovery.Multicast multicast -> Stream.empty();
        };
        return found.collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private Stream<InetSocketAddress> resolve(String address) {
        InetSocketAddress named = Addresses.parse(address, settings.port());
        try {
            return Arrays.stream(InetAddress.getAllByName(named.getHostString()))
                    .map(resolved -> new InetSocketAddress(resolved, named.getPort()));
        } catch (UnknownHostException unknown) {
            // The service of a set of pods has no addresses before its first pod has one.
            LOG.warn("an address of a member is not known to the name service now: address={}", address);
            return Stream.empty();
        }
    }

    /** @throws IllegalArgumentException if it is not {@code host} or {@code host:port} */
    static void checkAddress(String address) {
        Addresses.parse(address, LAST_PORT);
    }

    /** @throws IllegalArgumentException if it is no port */
    static void checkPort(int port) {
        if (port < 1 || port > LAST_PORT) {
            throw new IllegalArgumentException("a port lies between 1 and " + LAST_PORT + ": port=" + port);
        }
    }
}
