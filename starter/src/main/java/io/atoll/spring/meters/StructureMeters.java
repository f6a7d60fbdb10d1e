package io.atoll.spring.meters;

import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.StepObserver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * {@code atoll.structure.size}: the bytes that a structure has in this rank's segment, once this process has opened it.
 * Tags: {@code world}, {@code rank}, {@code structure}, its name. Must be put on the world's control path, where it
 * learns which structures are opened.
 */
public final class StructureMeters implements MeterBinder, StepObserver {

    private final Supplier<WorldStates> worldStates;
    private final Set<String> opened = ConcurrentHashMap.newKeySet();
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /**
     * @param worldStates returns the states of the world. Called only when a structure has been opened, since these
     * meters exist before the world
     */
    public StructureMeters(Supplier<WorldStates> worldStates) {
        this.worldStates = worldStates;
    }

    @Override
    public <T> T run(Step step, String subject, Supplier<T> work) {
        T result = work.get();
        if (step == Step.OPEN_STRUCTURE && opened.add(subject)) {
            registries.forEach(registry -> register(registry, subject));
        }
        return result;
    }

    /**
     * A structure may be opened at the same time. Either this method sees the structure, or {@link #run} sees the
     * registry. If both do, the second one finds the meter of the first.
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        opened.forEach(structure -> register(registry, structure));
    }

    private void register(MeterRegistry registry, String structure) {
        WorldStates observed = worldStates.get();
        WorldState world = observed.world();
        Gauge.builder("atoll.structure.size", observed, of -> bytes(of, structure))
                .description("What a structure has in this rank's segment.")
                .baseUnit(BaseUnits.BYTES)
                .tags("world", world.name(), "rank", Integer.toString(world.rank()), "structure", structure)
                .register(registry);
    }

    private static double bytes(WorldStates worldStates, String structure) {
        OptionalLong bytes = worldStates.bytes(structure);
        return bytes.isPresent() ? bytes.getAsLong() : Double.NaN;
    }
}
