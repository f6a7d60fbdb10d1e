package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.Connections.Traffic;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Meters of this process's connections with other ranks, where its fabric has any: over TCP or RDMA. Tags:
 * {@code world}, {@code rank}, and {@code peer}, the rank at the other end. Over RDMA the names begin with
 * {@code atoll.fabric.rdma} instead of {@code atoll.fabric.tcp}. There, round trips and traffic have no meter, since
 * only the device measures them.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.fabric.tcp.round.trip}</td><td>the shortest recent round trip, by {@code peer}</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.unanswered}</td><td>requests that wait for their answer, by {@code peer}</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.usable}</td><td>connections that can be used, by {@code peer}</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.requests}, {@code atoll.fabric.tcp.writes}</td><td>requests, and writes to sockets.
 * Their ratio is the number of requests that a write carries</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.bytes}</td><td>bytes of requests and answers, by {@code direction}: {@code sent},
 * {@code received}</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.unknown.outcomes}</td><td>requests that change something and were lost with their
 * connection. They may have been executed or not</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.refused}</td><td>attempts to connect that this process has refused, by
 * {@code reason}</td></tr>
 * <tr><td>{@code atoll.fabric.tcp.refused.reload}</td><td>1 while the last loaded certificates cannot be used, and the
 * ones before them are in use</td></tr>
 * </table>
 */
public final class ConnectionMeters implements MeterBinder {

    private final World world;
    private final WorldStates worldStates;

    public ConnectionMeters(World world, WorldStates worldStates) {
        this.world = world;
        this.worldStates = worldStates;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        worldStates.connections().ifPresent(connections -> {
            String prefix = "atoll.fabric." + connections.transport() + ".";
            boolean isMeasured = connections.traffic() != null;
            for (int peer = 0; peer < world.size(); peer++) {
                if (peer != world.rank()) {
                    bindPeer(registry, prefix, peer, isMeasured);
                }
            }
            if (isMeasured) {
                bindTraffic(registry, prefix);
                bindReload(registry, prefix);
            }
            connections.refused().keySet().forEach(reason -> bindRefused(registry, prefix, reason));
        });
    }

    private void bindPeer(MeterRegistry registry, String prefix, int peer, boolean isMeasured) {
        Tags tags = WorldMeters.tags(world).and("peer", Integer.toString(peer));
        if (isMeasured) {
            TimeGauge.builder(prefix + "round.trip", worldStates, TimeUnit.NANOSECONDS,
                    ofPeer(peer, ConnectionMeters::roundTripNanos))
                    .description("The shortest round trip of late.")
                    .tags(tags)
                    .register(registry);
        }
        Gauge.builder(prefix + "unanswered", worldStates, ofPeer(peer, Peer::unanswered))
                .description("Requests that wait for their answer.")
                .tags(tags)
                .register(registry);
        Gauge.builder(prefix + "usable", worldStates, ofPeer(peer, Peer::usable))
                .description("Connections that can be used.")
                .tags(tags)
                .register(registry);
    }

    private static double roundTripNanos(Peer peer) {
        Duration roundTrip = peer.roundTrip();
        return roundTrip == null ? 0 : roundTrip.toNanos();
    }

    /** Returns 0 for a rank to which there is no connection: it may be on this host. */
    private static ToDoubleFunction<WorldStates> ofPeer(int rank, ToDoubleFunction<Peer> figure) {
        return observed -> observed.connections()
                .stream()
                .flatMap(connections -> connections.peers().stream())
                .filter(peer -> peer.rank() == rank)
                .mapToDouble(figure)
                .sum();
    }

    private void bindTraffic(MeterRegistry registry, String prefix) {
        Tags tags = WorldMeters.tags(world);
        traffic(prefix + "requests", Traffic::requests).description("Requests, each of some verbs.")
                .tags(tags)
                .register(registry);
        traffic(prefix + "writes", Traffic::writes).description("Writes to sockets, each of some requests.")
                .tags(tags)
                .register(registry);
        traffic(prefix + "bytes", Traffic::sentBytes).description("Bytes of requests and answers.")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags.and("direction", "sent"))
                .register(registry);
        traffic(prefix + "bytes", Traffic::receivedBytes).description("Bytes of requests and answers.")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags.and("direction", "received"))
                .register(registry);
        traffic(prefix + "unknown.outcomes", Traffic::unknownOutcomes)
                .description("Verbs that change something, and were lost with their connection.")
                .tags(tags)
                .register(registry);
    }

    private FunctionCounter.Builder<WorldStates> traffic(String name, ToLongFunction<Traffic> figure) {
        return FunctionCounter.builder(name, worldStates, observed -> observed.connections()
                .map(Connections::traffic)
                .map(figure::applyAsLong)
                .orElse(0L));
    }

    private void bindReload(MeterRegistry registry, String prefix) {
        Gauge.builder(prefix + "refused.reload", worldStates, observed -> observed.refusedReload().isPresent() ? 1 : 0)
                .description("1 while the certificates that were loaded last are not used, but those before them.")
                .tags(WorldMeters.tags(world))
                .register(registry);
    }

    private void bindRefused(MeterRegistry registry, String prefix, String reason) {
        FunctionCounter.builder(prefix + "refused", worldStates, observed -> observed.connections()
                .map(connections -> connections.refused().getOrDefault(reason, 0L))
                .orElse(0L))
                .description("Attempts to connect that were refused.")
                .tags(WorldMeters.tags(world).and("reason", reason))
                .register(registry);
    }
}
