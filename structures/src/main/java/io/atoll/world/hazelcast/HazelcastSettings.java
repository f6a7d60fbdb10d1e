package io.atoll.world.hazelcast;

import io.atoll.fabric.link.Addresses;
import java.time.Duration;

/**
 * How the processes of a world find each other and notice that one has gone.
 *
 * <p>Worlds that share a host need ports of their own. A process that finds another world's member at one of its own
 * addresses is refused.
 *
 * @param bindAddress the IP address that this process listens at, or {@link #ALL_INTERFACES}
 * @param port the first port that is tried. A process takes the first free one of as many ports as the world has ranks,
 * and {@value Seeds#SPARE_PORTS} more
 * @param discovery where a process looks for the others
 * @param heartbeatInterval how often a member says that it lives; whole seconds, at least 1
 * @param heartbeatTimeout after how long a silence a member counts as gone; whole seconds, at least twice the interval.
 * A process that was killed is noticed at once if its host still lives
 * @param clusterName the same at all members; members of another name are not met. With one name for all worlds, a
 * process that finds another world can say so
 * @param secret members prove that they know it before anything else is read from a connection. Without a secret, any
 * process of Atoll that reaches the address can take part. Nothing is encrypted
 */
public record HazelcastSettings(String bindAddress, int port, Discovery discovery, Duration heartbeatInterval,
        Duration heartbeatTimeout, String clusterName, Secret secret) {

    private static final String CLUSTER_NAME = "atoll";

    /** The {@link #bindAddress} that stands for the addresses of all interfaces. */
    public static final String ALL_INTERFACES = "0.0.0.0";

    public HazelcastSettings {
        if (clusterName.isBlank()) {
            throw new IllegalArgumentException("a cluster has a name: clusterName='" + clusterName + "'");
        }
        Seeds.checkPort(port);
        checkWholeSeconds("heartbeatInterval", heartbeatInterval);
        checkWholeSeconds("heartbeatTimeout", heartbeatTimeout);
        if (heartbeatTimeout.compareTo(heartbeatInterval.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("a member must be able to miss a heartbeat: heartbeatInterval="
                    + heartbeatInterval + " heartbeatTimeout=" + heartbeatTimeout);
        }
    }

    private static void checkWholeSeconds(String name, Duration duration) {
        if (duration.toSeconds() < 1 || duration.toNanosPart() != 0) {
            throw new IllegalArgumentException("whole seconds only, at least 1: " + name + "=" + duration);
        }
    }

    /**
     * Returns the defaults: loopback, ports from 5701, all processes on this host, a heartbeat every second, gone after
     * 5 seconds.
     */
    public static HazelcastSettings defaults() {
        return new HazelcastSettings("127.0.0.1", 5701, new Discovery.SameHost(), Duration.ofSeconds(1),
                Duration.ofSeconds(5), CLUSTER_NAME, Secret.NONE);
    }

    public HazelcastSettings withBindAddress(String address) {
        return new HazelcastSettings(address, port, discovery, heartbeatInterval, heartbeatTimeout,
                clusterName, secret);
    }

    public HazelcastSettings withPort(int first) {
        return new HazelcastSettings(bindAddress, first, discovery, heartbeatInterval, heartbeatTimeout,
                clusterName, secret);
    }

    public HazelcastSettings withDiscovery(Discovery way) {
        return new HazelcastSettings(bindAddress, port, way, heartbeatInterval, heartbeatTimeout,
                clusterName, secret);
    }

    public HazelcastSettings withHeartbeat(Duration interval, Duration timeout) {
        return new HazelcastSettings(bindAddress, port, discovery, interval, timeout, clusterName, secret);
    }

    public HazelcastSettings withClusterName(String name) {
        return new HazelcastSettings(bindAddress, port, discovery, heartbeatInterval, heartbeatTimeout, name, secret);
    }

    public HazelcastSettings withSecret(Secret known) {
        return new HazelcastSettings(bindAddress, port, discovery, heartbeatInterval, heartbeatTimeout, clusterName,
                known);
    }

    /** Returns true if processes of other hosts may be members. */
    public boolean reachesOtherHosts() {
        return !(discovery instanceof Discovery.SameHost) && !Addresses.isLoopback(bindAddress);
    }

    boolean listensEverywhere() {
        return bindAddress.equals(ALL_INTERFACES);
    }
}
