package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the answering rank reaches each rank, and which connections it has refused.
 *
 * @param ranks all ranks of the world, in their order
 * @param refused how many attempts to connect to the answering rank were refused, by reason. Empty if ranks reach each
 * other without connections
 */
public record ConnectionsState(List<ReachedRank> ranks, Map<String, Long> refused) {

    private static final String OWN_MEMORY = "own-memory";
    private static final String SHARED_MEMORY = "shared-memory";

    /**
     * How a rank is reached. Connections are made when they are used, so there may be none yet.
     *
     * @param rank the rank that is reached; it may be the answering one
     * @param way own-memory, shared-memory, or the fabric by which connections are made; null for a rank that is not
     * present
     * @param usable the number of connections that can be used
     * @param broken why the other connections cannot be used. They are made again when they are used
     * @param unanswered the number of requests that wait for their answer
     * @param roundTripNanos the shortest recent round trip; null if none was measured
     * @param silentMillis how long the rank has not been heard, if answers are overdue; else null
     */
    public record ReachedRank(int rank, @Nullable String way, int usable, List<String> broken, long unanswered,
            @Nullable Long roundTripNanos, @Nullable Long silentMillis) {

        private static ReachedRank of(int rank, @Nullable String way, @Nullable Peer peer) {
            return peer == null
                    ? new ReachedRank(rank, way, 0, List.of(), 0, null, null)
                    : new ReachedRank(rank, way, peer.usable(), peer.broken(), peer.unanswered(),
                            nanos(peer.roundTrip()), millisSince(peer.silentSince()));
        }

        private static @Nullable Long nanos(@Nullable Duration roundTrip) {
            return roundTrip == null ? null : roundTrip.toNanos();
        }

        private static @Nullable Long millisSince(@Nullable Instant heard) {
            return heard == null ? null : Math.max(0, Duration.between(heard, Instant.now()).toMillis());
        }
    }

    static ConnectionsState of(World world, Optional<Connections> connections) {
        List<Peer> peers = connections.map(Connections::peers).orElse(List.of());
        String transport = connections.map(Connections::transport).orElse(world.fabric());
        return new ConnectionsState(world.peers()
                .snapshot()
                .stream()
                .map(each -> ReachedRank.of(each.rank(),
                        each.status() == PeerStatus.JOINED ? way(world, each.rank(), transport) : null,
                        peers.stream().filter(peer -> peer.rank() == each.rank()).findFirst().orElse(null)))
                .toList(), connections.map(Connections::refused).orElse(Map.of()));
    }

    private static String way(World world, int rank, String transport) {
        Inspection inspection = world.inspection();
        if (!inspection.isMapped(rank)) {
            return transport;
        }
        return rank == world.rank() ? OWN_MEMORY : SHARED_MEMORY;
    }
}
