package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.spring.meters.StructureWatch.Content;
import io.atoll.world.NamedStructure;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * How full structures are, and how often they are used, as the last look found them. Reading a meter waits for no rank.
 * Each rank reports on the content of its own segment. The sum over all ranks is the structure's content. Tags:
 * {@code world}, {@code rank}, {@code structure}, its name, and {@code kind}, such as {@code long-map}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.structure.operations}</td><td>operations of this rank's process on the structure, at any rank,
 * see {@link io.atoll.world.Operations}</td></tr>
 * <tr><td>{@code atoll.structure.entries}</td><td>entries of a map, elements of a filter, and elements of a queue or
 * stack, at its host. Large counts are estimated. At most 1,000 for stacks and linked queues</td></tr>
 * <tr><td>{@code atoll.structure.fill}</td><td>from 0 to 1: the load of a map, how full a bounded queue is, the share
 * of a filter's bits that are set</td></tr>
 * <tr><td>{@code atoll.structure.false.positives}</td><td>from 0 to 1: how often a filter takes a foreign element for
 * one of its own</td></tr>
 * </table>
 */
public final class ContentMeters implements MeterBinder {

    private static final String LOCK_TABLE = "lock-table";
    private static final String FILTER = "bloom-filter";
    private static final Set<String> WITHOUT_BOUNDS = Set.of("linked-stack", "linked-queue");

    private final World world;
    private final StructureWatch watch;

    public ContentMeters(World world, StructureWatch watch) {
        this.world = world;
        this.watch = watch;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        watch.listen(structure -> {
            count(registry, structure);
            if (!structure.kind().equals(LOCK_TABLE)) {
                bind(registry, structure);
            }
        });
    }

    private void count(MeterRegistry registry, NamedStructure structure) {
        String of = structure.name();
        FunctionCounter.builder("atoll.structure.operations", world, used -> used.inspection().operations(of))
                .description("Operations of this process on a structure.")
                .tags(tags(structure))
                .register(registry);
    }

    private Tags tags(NamedStructure structure) {
        return WorldMeters.tags(world).and(Tags.of("structure", structure.name(), "kind", structure.kind()));
    }

    private void bind(MeterRegistry registry, NamedStructure structure) {
        gauge(registry, structure, "entries", "What a structure has in this rank's segment.",
                content -> OptionalDouble.of(content.entries()));
        if (!WITHOUT_BOUNDS.contains(structure.kind())) {
            gauge(registry, structure, "fill", "How full this rank's part of a structure is.", Content::fill);
        }
        if (structure.kind().equals(FILTER)) {
            gauge(registry, structure, "false.positives", "How often a filter takes an element for one of its own.",
                    Content::falsePositiveRate);
        }
    }

    private void gauge(MeterRegistry registry, NamedStructure structure, String name, String description,
            Function<Content, OptionalDouble> value) {
        String of = structure.name();
        ToDoubleFunction<StructureWatch> seen = watched -> {
            Content content = watched.content(of);
            return content == null ? Double.NaN : value.apply(content).orElse(Double.NaN);
        };
        Gauge.builder("atoll.structure." + name, watch, seen)
                .description(description)
                .tags(tags(structure))
                .register(registry);
    }
}
