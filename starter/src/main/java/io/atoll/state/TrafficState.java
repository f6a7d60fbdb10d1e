package io.atoll.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of the answering process.
 *
 * @param counted whether they are counted at all: they are where meters are kept
 * @param verbs that went to the own segment (local) and to those of other ranks (remote), by locality and kind
 * @param batches likewise, by locality
 * @param connections of all connections together; null where ranks reach each other without, and where only the device counts
 * @param peers how each other rank is reached
 */
public record TrafficState(boolean counted, List<Verbs> verbs, List<Batches> batches, @Nullable Carried connections,
        List<ConnectionsState.ReachedRank> peers) {

    /**
     * @param locality local or remote
     * @param kind such as read or compare-and-exchange
     * @param count since the process began; of some an estimate
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
    public record Carried(long requests, long writes, long sentBytes, long receivedBytes, long unknownOutcomes) {}
}
