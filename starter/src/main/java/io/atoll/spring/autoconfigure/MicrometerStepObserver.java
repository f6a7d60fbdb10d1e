package io.atoll.spring.autoconfigure;

import io.atoll.world.StepObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.function.Supplier;

/** Makes an observation of each step: {@code atoll.world.await}, {@code atoll.structure.open}, {@code atoll.repair}. */
final class MicrometerStepObserver implements StepObserver {

    private final ObservationRegistry observations;
    private final String world;

    MicrometerStepObserver(ObservationRegistry observations, String world) {
        this.observations = observations;
        this.world = world;
    }

    @Override
    public <T> T run(Step step, String subject, Supplier<T> work) {
        return Objects.requireNonNull(observation(step, subject).lowCardinalityKeyValue("world", world).observe(work));
    }

    private Observation observation(Step step, String subject) {
        return switch (step) {
            case AWAIT_RANKS -> Observation.createNotStarted("atoll.world.await", observations);
            case OPEN_STRUCTURE -> Observation.createNotStarted("atoll.structure.open", observations)
                    .lowCardinalityKeyValue("structure", subject);
            case REPAIR -> Observation.createNotStarted("atoll.repair", observations)
                    .lowCardinalityKeyValue("operation", subject);
        };
    }
}
