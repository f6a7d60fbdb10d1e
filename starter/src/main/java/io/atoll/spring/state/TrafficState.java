package io.atoll.spring.state;

import io.atoll.fabric.Connections;
import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of the answering process that cross the fabric, by kind. Loads and stores of memory that is mapped into the
 * process do not count as verbs. {@link PeerState} shows verbs by the rank that they go to.
 *
 * @param counted true if verbs are counted at all, which is so if meters are kept
 * @param verbs the verbs by locality and kind: to the own segment (local) and to those of other ranks (remote)
 * @param batches the batches by locality
 * @param connections the traffic of all connections together; null if ranks reach each other without connections, or if
 * only the device counts
 */
public record TrafficState(boolean counted, List<Verbs> verbs, List<Batches> batches, @Nullable Carried connections) {

    /**
     * @param locality local or remote
     * @param kind such as read or compare-and-exchange
     * @param count the number since the process began
     * @param sampled how many single verbs were timed
     * @param meanNanos the mean duration of timed verbs; null if none was timed
     * @param p50Nanos half of the verbs that were timed last took no longer; null if none was timed
     * @param p99Nanos 99 of 100 of them took no longer; null if none was timed
     */
    public record Verbs(String locality, String kind, long count, long sampled, @Nullable Long meanNanos,
            @Nullable Long p50Nanos, @Nullable Long p99Nanos) {}

    /**
     * @param verbs the verbs of all batches together
     * @param bytes the bytes of all batches together
     */
    public record Batches(String locality, long count, long verbs, long bytes) {}

    /**
     * The traffic over connections since the process began.
     *
     * @param unknownOutcomes verbs that change something and were lost with their connection
     */
    public record Carried(long requests, long writes, long sentBytes, long receivedBytes, long unknownOutcomes) {

        static Carried of(Connections.Traffic traffic) {
            return new Carried(traffic.requests(), traffic.writes(), traffic.sentBytes(), traffic.receivedBytes(),
                    traffic.unknownOutcomes());
        }
    }

    /**
     * @param counts the counts of the answering process; null if verbs are not counted
     * @param latencies the latencies of the answering process; null if verbs are not counted
     */
    static TrafficState of(@Nullable VerbCounts counts, @Nullable VerbLatencies latencies,
            Optional<Connections> connections) {
        List<Verbs> verbs = new ArrayList<>();
        List<Batches> batches = new ArrayList<>();
        if (counts != null) {
            for (Locality locality : Locality.values()) {
                for (Verb verb : Verb.values()) {
                    verbs.add(verbs(counts, latencies, verb, locality));
                }
                batches.add(new Batches(lowerCase(locality), counts.batches(locality), counts.batchedVerbs(locality),
                        counts.batchedBytes(locality)));
            }
        }
        return new TrafficState(counts != null, verbs, batches,
                connections.map(Connections::traffic).map(Carried::of).orElse(null));
    }

    private static Verbs verbs(VerbCounts counts, @Nullable VerbLatencies latencies, Verb verb, Locality locality) {
        VerbLatencies.Timed timed = latencies == null ? VerbLatencies.Timed.NONE : latencies.kind(verb, locality);
        return new Verbs(lowerCase(locality), lowerCase(verb), counts.verbs(verb, locality), timed.sampled(),
                timed.mean(), timed.percentile(50), timed.percentile(99));
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
