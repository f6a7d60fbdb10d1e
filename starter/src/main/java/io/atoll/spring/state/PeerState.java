package io.atoll.spring.state;

import io.atoll.fabric.trace.PeerTraffic;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of the answering process that have crossed the fabric to one rank since it began. Those of batches are counted,
 * but not timed.
 *
 * @param rank that they went to; the answering one where a network card executes those to its segment, too
 * @param host where that rank runs, or ran, as far as its history has told the answering one
 * @param way how it is reached by now, as {@link ConnectionsState.ReachedRank} says
 * @param verbs of all kinds together
 * @param atomics each of which carries 8 bytes there and back, which are not among the bytes
 * @param readBytes by the reads
 * @param writtenBytes by the writes
 * @param sampled how many of those used by themselves were timed
 * @param meanNanos how long these took; null if none was timed
 * @param p50Nanos half of those that were timed last took no longer; null likewise
 * @param p99Nanos 99 of 100 of them took no longer; null likewise
 */
public record PeerState(int rank, @Nullable String host, @Nullable String way, long verbs, long reads, long writes,
        long atomics, long readBytes, long writtenBytes, long sampled, @Nullable Long meanNanos,
        @Nullable Long p50Nanos, @Nullable Long p99Nanos) {

    static PeerState of(PeerTraffic traffic, @Nullable String host, @Nullable String way, VerbLatencies.Timed timed) {
        return new PeerState(traffic.rank(), host, way, traffic.verbs(), traffic.reads(), traffic.writes(),
                traffic.atomics(), traffic.bytesRead(), traffic.bytesWritten(), timed.sampled(), timed.mean(),
                timed.percentile(50), timed.percentile(99));
    }
}
