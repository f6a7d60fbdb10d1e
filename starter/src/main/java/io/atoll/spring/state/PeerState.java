package io.atoll.spring.state;

import io.atoll.fabric.trace.VerbCounts;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of the answering process that have crossed the fabric to one rank since the process began. Verbs in batches
 * are counted, but not timed.
 *
 * @param rank the rank that they went to. This may be the answering rank, if a network card executes verbs on its own
 * segment
 * @param host the host where that rank runs, or ran, if its history has told the answering rank
 * @param way how the rank is reached at present, as in {@link ConnectionsState.ReachedRank}
 * @param verbs the verbs of all kinds together
 * @param atomics the atomics. Each carries 8 bytes there and back, which the byte counts do not include
 * @param readBytes the bytes of the reads
 * @param writtenBytes the bytes of the writes
 * @param sampled how many single verbs were timed
 * @param meanNanos the mean duration of timed verbs; null if none was timed
 * @param p50Nanos half of the verbs that were timed last took no longer; null if none was timed
 * @param p99Nanos 99 of 100 of them took no longer; null if none was timed
 */
public record PeerState(int rank, @Nullable String host, @Nullable String way, long verbs, long reads, long writes,
        long atomics, long readBytes, long writtenBytes, long sampled, @Nullable Long meanNanos,
        @Nullable Long p50Nanos, @Nullable Long p99Nanos) {

    static PeerState of(VerbCounts.PeerTraffic traffic, @Nullable String host, @Nullable String way,
            VerbLatencies.Timed timed) {
        return new PeerState(traffic.rank(), host, way, traffic.verbs(), traffic.reads(), traffic.writes(),
                traffic.atomics(), traffic.bytesRead(), traffic.bytesWritten(), timed.sampled(), timed.mean(),
                timed.percentile(50), timed.percentile(99));
    }
}
