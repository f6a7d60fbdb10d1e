package io.atoll.peers;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Opens the worlds and Hazelcast members of the process that measures, and of the process that it measures against. */
final class Worlds {

    static final String MAP = "hits";
    static final String QUEUE = "elements";
    private static final int RANKS = 2;
    /** The room of a map for keys. Half of it is the other rank's, where each key that was ever there takes some. */
    static final long CAPACITY = 4L * (Keys.KEPT + Keys.PASSING);
    /** Where a segment has words that are only read here. */
    static final long FREE = SegmentHeader.size(RANKS);

    private static final long SEGMENT_BYTES = 128 << 20;
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);

    /** How the ranks of a world reach each other. */
    enum Kind {
        PLAIN, ENCRYPTED, MIXED, MANY_LANES;

        private FabricType fabric(Path folder) {
            Tcp tcp = new Tcp(Fabrics.sharedMemory(folder, false));
            return switch (this) {
                case PLAIN -> tcp.withoutSharedMemory();
                case ENCRYPTED -> tcp.withoutSharedMemory()
                        .security(Security.secret(Secret.of("what all processes of this comparison know")));
                case MIXED -> tcp;
                case MANY_LANES -> tcp.withoutSharedMemory().lanes(Idle.LANES);
            };
        }

        World open(Path folder, int rank) {
            return World.named("peers-" + ordinal())
                    .size(RANKS)
                    .rank(rank)
                    .segment(SEGMENT_BYTES)
                    .fabric(fabric(folder))
                    .joinTimeout(JOIN_TIMEOUT)
                    .open();
        }
    }

    private Worlds() {}

    /**
     * Connects to the other rank. The first handshake of two new processes may take longer than a caller waits, so it
     * is repeated.
     */
    static void connect(World world) {
        Fabric fabric = world.participant().endpoint().fabric();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                fabric.readWord(1, FREE);
                return;
            } catch (RankUnreachableException late) {
                if (System.nanoTime() > deadline) {
                    throw late;
                }
            }
        }
    }

    /** @param port the port of the first member; the second one listens at the next port */
    static HazelcastInstance hazelcast(int port, int member) {
        Config config = new Config("peers-" + port + "-" + member).setClusterName("peers-" + port);
        config.setProperty("hazelcast.phone.home.enabled", "false");
        // The member that ends last says of each partition that it is lost.
        config.setProperty("hazelcast.logging.type", "none");
        config.getJetConfig().setEnabled(false);
        config.getMapConfig(MAP).setBackupCount(0);
        config.getQueueConfig(QUEUE + "-*").setBackupCount(0);
        config.getNetworkConfig().setPort(port + member).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getMulticastConfig().setEnabled(false);
        join.getAutoDetectionConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + port).addMember("127.0.0.1:" + (port + 1));
        return Hazelcast.newHazelcastInstance(config);
    }
}
