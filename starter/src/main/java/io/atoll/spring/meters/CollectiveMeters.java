package io.atoll.spring.meters;

import io.atoll.World;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;

/**
 * Meters of the collectives that this process takes part in. Tags: {@code world}, {@code rank}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.collective}</td><td>duration of each collective that is over. {@code structure} is the name of
 * its window or exchange, {@code operation} is such as {@code broadcast}, and {@code outcome} is {@code finished} or
 * {@code failed}</td></tr>
 * <tr><td>{@code atoll.collective.running}</td><td>collectives that are under way</td></tr>
 * </table>
 */
public final class CollectiveMeters implements MeterBinder {

    private final World world;

    public CollectiveMeters(World world) {
        this.world = world;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("atoll.collective.running", world, joined -> joined.collectives().log().running().size())
                .description("Collectives of this process that are under way.")
                .tags(WorldMeters.tags(world))
                .register(registry);
        world.collectives()
                .log()
                .listen((name, operation, finished, took) -> record(registry, name, operation, finished, took));
    }

    private void record(MeterRegistry registry, String name, String operation, boolean finished, Duration took) {
        Timer.builder("atoll.collective")
                .description("Collectives of this process that are over.")
                .tags(WorldMeters.tags(world)
                        .and("structure", name, "operation", operation, "outcome", finished ? "finished" : "failed"))
                .register(registry)
                .record(took);
    }
}
