package io.atoll.spring.meters;

import io.atoll.World;
import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.fabric.trace.VerbSamples;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Meters of this process's verbs that cross the fabric. On memory that is mapped here verbs are loads and stores, and
 * are not counted. So on shared memory alone all meters are 0. A verb is {@code local} where a network card also
 * executes verbs on the own segment. Tags: {@code world}, {@code rank}, {@code kind} of verb, and {@code locality},
 * {@code local} or {@code remote}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code atoll.fabric.verbs}</td><td>number of verbs of a kind, including those in batches</td></tr>
 * <tr><td>{@code atoll.fabric.verb.latency}</td><td>duration of single verbs. One in 1,024 verbs of a thread to a rank
 * is timed</td></tr>
 * <tr><td>{@code atoll.fabric.batches}</td><td>number of batches that were begun</td></tr>
 * <tr><td>{@code atoll.fabric.batched.verbs}, {@code atoll.fabric.batched.bytes}</td><td>verbs and bytes of all batches
 * together</td></tr>
 * <tr><td>{@code atoll.fabric.batch.latency}</td><td>duration of a batch, from its first verb to its completion. One in
 * 1,024 batches of a thread is timed</td></tr>
 * <tr><td>{@code atoll.fabric.batch.verbs}, {@code atoll.fabric.batch.bytes}</td><td>sizes of the batches that were
 * timed</td></tr>
 * </table>
 */
public final class FabricMeters implements MeterBinder, AutoCloseable {

    private final VerbCounts counts;
    private final Tags world;
    private final List<VerbSamples> recorders = new CopyOnWriteArrayList<>();

    public FabricMeters(VerbCounts counts, World world) {
        this.counts = counts;
        this.world = WorldMeters.tags(world);
        counts.sampleTo(new VerbSamples() {

            @Override
            public void verb(Verb verb, Locality locality, int target, long nanos) {
                recorders.forEach(recorder -> recorder.verb(verb, locality, target, nanos));
            }

            @Override
            public void batch(Locality locality, int verbs, long bytes, long nanos) {
                recorders.forEach(recorder -> recorder.batch(locality, verbs, bytes, nanos));
            }
        });
    }

    /** From now on also tells this listener how long verbs take. */
    public FabricMeters alsoTo(VerbSamples listener) {
        recorders.add(listener);
        return this;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Locality locality : Locality.values()) {
            Tags tags = world.and("locality", lowerCase(locality));
            for (Verb verb : Verb.values()) {
                FunctionCounter.builder("atoll.fabric.verbs", counts, all -> all.verbs(verb, locality))
                        .description("Verbs that crossed the fabric, those in batches included.")
                        .tags(tags.and("kind", lowerCase(verb)))
                        .register(registry);
            }
            FunctionCounter.builder("atoll.fabric.batches", counts, all -> all.batches(locality))
                    .description("Batches begun.")
                    .tags(tags)
                    .register(registry);
            FunctionCounter.builder("atoll.fabric.batched.verbs", counts, all -> all.batchedVerbs(locality))
                    .description("Verbs of all batches.")
                    .tags(tags)
                    .register(registry);
            FunctionCounter.builder("atoll.fabric.batched.bytes", counts, all -> all.batchedBytes(locality))
                    .description("Bytes moved by the verbs of all batches.")
                    .baseUnit(BaseUnits.BYTES)
                    .tags(tags)
                    .register(registry);
        }
        recorders.add(new SampledLatency(registry, world));
    }

    /** Returns the name such as {@code compare-and-exchange}. */
    static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Records no more samples, since threads outlive registries. */
    @Override
    public void close() {
        counts.sampleTo(VerbSamples.NONE);
    }
}
