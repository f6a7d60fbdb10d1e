package io.atoll.spring.meters;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbSamples;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Records timed verbs and batches in one registry. The meters are made beforehand, so that a sample looks nothing up by
 * tags.
 */
final class SampledLatency implements VerbSamples {

    private record Batches(DistributionSummary verbs, DistributionSummary bytes, Timer latency) {

        static Batches in(MeterRegistry registry, Tags tags) {
            return new Batches(
                    DistributionSummary.builder("atoll.fabric.batch.verbs")
                            .description("Verbs of a batch; a sample.")
                            .tags(tags)
                            .register(registry),
                    DistributionSummary.builder("atoll.fabric.batch.bytes")
                            .description("Bytes moved by a batch; a sample.")
                            .baseUnit(BaseUnits.BYTES)
                            .tags(tags)
                            .register(registry),
                    Timer.builder("atoll.fabric.batch.latency")
                            .description("From a batch's first verb to its completion; a sample.")
                            .tags(tags)
                            .register(registry));
        }
    }

    private final Map<Locality, Map<Verb, Timer>> verbs = new EnumMap<>(Locality.class);
    private final Map<Locality, Batches> batches = new EnumMap<>(Locality.class);

    SampledLatency(MeterRegistry registry, Tags world) {
        for (Locality locality : Locality.values()) {
            Tags tags = world.and("locality", FabricMeters.lowerCase(locality));
            Map<Verb, Timer> timers = new EnumMap<>(Verb.class);
            for (Verb verb : Verb.values()) {
                timers.put(verb, Timer.builder("atoll.fabric.verb.latency")
                        .description("Duration of a single verb; a sample.")
                        .tags(tags.and("kind", FabricMeters.lowerCase(verb)))
                        .register(registry));
            }
            verbs.put(locality, timers);
            batches.put(locality, Batches.in(registry, tags));
        }
    }

    @Override
    public void verb(Verb verb, Locality locality, int target, long nanos) {
        verbs.get(locality).get(verb).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void batch(Locality locality, int count, long bytes, long nanos) {
        Batches recorded = batches.get(locality);
        recorded.verbs.record(count);
        recorded.bytes.record(bytes);
        recorded.latency.record(nanos, TimeUnit.NANOSECONDS);
    }
}
