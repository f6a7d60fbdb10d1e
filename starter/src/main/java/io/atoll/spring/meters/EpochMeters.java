package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.spring.state.EpochState.LimboList;
import io.atoll.spring.state.EpochState.RankEpoch;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Meters of the reclamation of objects, as the last look found it. Reading a meter waits for no rank. Tags:
 * {@code world}, {@code rank}. All are zero before reclamation is used.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.epochs.overdue}</td><td>tokens, of any rank, that have been pinned for longer than the world's
 * limit. Health names them</td></tr>
 * <tr><td>{@code atoll.epochs.limbo.objects}, {@code atoll.epochs.limbo.size}</td><td>objects that this rank has
 * retired and not freed yet, and their bytes as far as they are known</td></tr>
 * <tr><td>{@code atoll.epochs.stranded}</td><td>objects in limbo of ranks that are gone, as far as this rank has seen.
 * They wait for those ranks</td></tr>
 * <tr><td>{@code atoll.epochs.freed}, {@code atoll.epochs.lost}</td><td>objects that this rank has freed, and objects
 * that deaths have cost</td></tr>
 * <tr><td>{@code atoll.epochs.advances}, {@code atoll.epochs.failed.elections}</td><td>how often this rank has advanced
 * the epoch, and how often it has left it to others</td></tr>
 * </table>
 */
public final class EpochMeters implements MeterBinder {

    private final World world;
    private final WorldStates worldStates;

    public EpochMeters(World world, WorldStates worldStates) {
        this.world = world;
        this.worldStates = worldStates;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("atoll.epochs.overdue", worldStates, observed -> observed.pinnedTooLong().size())
                .description("Tokens of any rank that have been pinned for too long: nothing is freed meanwhile.")
                .tags(WorldMeters.tags(world))
                .register(registry);
        Gauge.builder("atoll.epochs.limbo.objects", () -> own(rank -> limbo(rank, LimboList::objects)))
                .description("Objects that this rank has retired and not freed yet.")
                .tags(WorldMeters.tags(world))
                .register(registry);
        Gauge.builder("atoll.epochs.limbo.size", () -> own(rank -> limbo(rank, LimboList::bytes)))
                .description("What is known of their size.")
                .baseUnit(BaseUnits.BYTES)
                .tags(WorldMeters.tags(world))
                .register(registry);
        Gauge.builder("atoll.epochs.stranded", worldStates, EpochMeters::stranded)
                .description("Objects in limbo of ranks that are gone: nobody frees them until those are back.")
                .tags(WorldMeters.tags(world))
                .register(registry);
        counter(registry, "freed", "Objects that this rank has freed.", RankEpoch::freed);
        counter(registry, "lost", "Objects that deaths have cost.", RankEpoch::lost);
        counter(registry, "advances", "How often this rank has advanced the epoch.", RankEpoch::advances);
        counter(registry, "failed.elections", "How often it has left that to others.", RankEpoch::failedElections);
    }

    private void counter(MeterRegistry registry, String name, String description, ToDoubleFunction<RankEpoch> value) {
        FunctionCounter.builder("atoll.epochs." + name, this, meters -> meters.own(value))
                .description(description)
                .tags(WorldMeters.tags(world))
                .register(registry);
    }

    private static double stranded(WorldStates worldStates) {
        return worldStates.lastEpochs().state().stranded().values().stream().mapToLong(Long::longValue).sum();
    }

    private double own(ToDoubleFunction<RankEpoch> value) {
        Optional<RankEpoch> own = worldStates.lastEpochs()
                .state()
                .ranks()
                .stream()
                .filter(rank -> rank.rank() == world.rank())
                .findFirst();
        return own.map(value::applyAsDouble).orElse(0.0);
    }

    private static double limbo(RankEpoch rank, ToDoubleFunction<LimboList> value) {
        return rank.limbo().stream().mapToDouble(value).sum();
    }
}
