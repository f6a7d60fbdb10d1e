package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.spring.state.SegmentState.Usage;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.Peers.PeerStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * The world as this rank sees it, and the use of this rank's segment. Tags: {@code world}, {@code rank}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.world.ranks}</td><td>ranks by {@code standing}: {@code joined}, {@code missing},
 * {@code lost}</td></tr>
 * <tr><td>{@code atoll.world.joins}, {@code atoll.world.losses}</td><td>how often another rank has joined, and how
 * often one has left or died</td></tr>
 * <tr><td>{@code atoll.world.rejoins}</td><td>how often this process has joined again after the others had removed
 * it</td></tr>
 * <tr><td>{@code atoll.world.rejoining}</td><td>1 while this process is out and joins again, else 0</td></tr>
 * <tr><td>{@code atoll.world.repairs}</td><td>how often this process has repaired what a dead rank had left</td></tr>
 * <tr><td>{@code atoll.world.waits}</td><td>threads of this process that wait for another rank at the moment</td></tr>
 * <tr><td>{@code atoll.view.number}, {@code atoll.view.members}</td><td>number and members of the view by which this
 * rank acts; 0 where views decide nothing</td></tr>
 * <tr><td>{@code atoll.view.suspected}</td><td>ranks that this rank does not hear</td></tr>
 * <tr><td>{@code atoll.view.waiting}</td><td>1 while a decision waits for electors that do not answer, else 0</td></tr>
 * <tr><td>{@code atoll.segment.size}</td><td>bytes of this rank's segment</td></tr>
 * <tr><td>{@code atoll.segment.heap}</td><td>bytes of its heap by {@code use}: {@code free}, {@code pending},
 * {@code structures}, {@code objects}</td></tr>
 * </table>
 */
public final class WorldMeters implements MeterBinder {

    private final World world;
    private final WorldStates worldStates;

    public WorldMeters(World world, WorldStates worldStates) {
        this.world = world;
        this.worldStates = worldStates;
    }

    static Tags tags(World world) {
        return Tags.of("world", world.name(), "rank", Integer.toString(world.rank()));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (PeerStatus standing : PeerStatus.values()) {
            Gauge.builder("atoll.world.ranks", worldStates, observed -> count(observed, standing))
                    .description("Ranks of the world as this one sees them.")
                    .tags(tags(world).and("standing", standing.name().toLowerCase(Locale.ROOT)))
                    .register(registry);
        }
        counter(registry, "joins", "How often another rank has joined.", joined -> joined.peers().joins());
        counter(registry, "losses", "How often another rank has left or died.", joined -> joined.peers().losses());
        counter(registry, "rejoins", "How often this process has joined again after the others had removed it.",
                World::rejoins);
        counter(registry, "repairs", "How often this process has repaired what a dead rank had left.",
                joined -> joined.inspection().repairs());
        Gauge.builder("atoll.world.rejoining", world, joined -> joined.rejoining().isPresent() ? 1 : 0)
                .description("1 while this process is out of its world and joins again, else 0.")
                .tags(tags(world))
                .register(registry);
        Gauge.builder("atoll.world.waits", world, joined -> joined.waits().size())
                .description("Threads of this process that wait for another rank.")
                .tags(tags(world))
                .register(registry);
        view(registry, "number", "The view by which this rank acts.", ViewState::number);
        view(registry, "members", "Ranks in the view by which this rank acts.", view -> view.members().size());
        view(registry, "suspected", "Ranks that this one does not hear.", view -> view.suspected().size());
        view(registry, "waiting", "1 while a decision waits for electors that do not answer, else 0.",
                view -> view.waiting() == null ? 0 : 1);
        Gauge.builder("atoll.segment.size", world, joined -> joined.inspection().segmentBytes())
                .description("This rank's segment.")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags(world))
                .register(registry);
        heap(registry, "free", Usage::freeBytes);
        heap(registry, "pending", Usage::pendingBytes);
        heap(registry, "structures", Usage::ownedBytes);
        heap(registry, "objects", Usage::objectSlabBytes);
    }

    private static long count(WorldStates worldStates, PeerStatus standing) {
        return worldStates.ranks().stream().filter(peer -> peer.status() == standing).count();
    }

    private void counter(MeterRegistry registry, String name, String description, ToLongFunction<World> value) {
        FunctionCounter.builder("atoll.world." + name, world, value::applyAsLong)
                .description(description)
                .tags(tags(world))
                .register(registry);
    }

    private void view(MeterRegistry registry, String name, String description, ToLongFunction<ViewState> value) {
        Gauge.builder("atoll.view." + name, worldStates, observed -> value.applyAsLong(observed.view()))
                .description(description)
                .tags(tags(world))
                .register(registry);
    }

    private void heap(MeterRegistry registry, String use, ToLongFunction<Usage> bytes) {
        int rank = world.rank();
        Gauge.builder("atoll.segment.heap", worldStates, observed -> {
            Usage usage = observed.segment(rank).usage();
            return usage == null ? Double.NaN : bytes.applyAsLong(usage);
        })
                .description("The heap of this rank's segment by its use.")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags(world).and("use", use))
                .register(registry);
    }
}
