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
 * The verbs of the answering process that cross the fabric, by kind: loads and stores of memory that is mapped into it are
 * none. By the rank that they go to: {@link PeerState}.
 *
 * @param counted whether they are counted at all: they are where meters are kept
 * @param verbs that went to the own segment (local) and to those of other ranks (remote), by locality and kind
 * @param batches likewise, by locality
 * @param connections of all connections together; null where ranks reach each other without, and where only the device counts
 */
public record TrafficState(boolean counted, List<Verbs> verbs, List<Batches> batches, @Nullable Carried connections) {

    /**
     * @param locality local or remote
     * @param kind such as read or compare-and-exchange
     * @param count since the process began
     * @param sampled how many of those used by themselves were timed
     * @param meanNanos how long these took; null if none was timed
     * @param p50Nanos half of those that were timed last took no longer; null likewise
     * @param p99Nanos 99 of 100 of them took no longer; null likewise
     */
    public record Verbs(String locality, String kind, long count, long sampled, @Nullable Long meanNanos,
            @Nullable Long p50Nanos, @Nullable Long p99Nanos) {}

    /** @param verbs of all batches together, as are the bytes */
    public record Batches(String locality, long count, long verbs, long bytes) {}

    /**
     * What went over connections since the process began.
     *
     * @param unknownOutcomes verbs that change something, and were lost with their connection
     */
    public record Carried(long requests, long writes, long sentBytes, long receivedBytes, long unknownOutcomes) {

        static Carried of(Connections.Traffic traffic) {
            return new Carried(traffic.requests(), traffic.writes(), traffic.sentBytes(), traffic.receivedBytes(),
                    traffic.unknownOutcomes());
        }
    }

    /**
     * @param counts of the answering process; null where verbs are not counted
     * @param latencies likewise
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
