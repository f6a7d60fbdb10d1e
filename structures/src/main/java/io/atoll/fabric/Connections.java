package io.atoll.fabric;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process's view of its connections with other ranks. Each number was true at some moment.
 *
 * @param transport that makes the connections: {@code tcp} or {@code verbs}
 * @param peers the ranks to which this one has connections, in the order of ranks
 * @param traffic of all connections that this process has ever made; null where only the device counts it
 * @param refused the number of refused attempts to connect to this process, by reason, such as {@code unproved}
 */
public record Connections(String transport, List<Peer> peers, @Nullable Traffic traffic,
        Map<String, Long> refused) {

    /**
     * The connections to one rank.
     *
     * @param usable the number of connections that can be used
     * @param broken why the others cannot be used: they are made again at their next use
     * @param unanswered requests that wait for their answer
     * @param roundTrip the shortest recent round trip; null if none was measured
     * @param silentSince when the rank was heard last, if answers are overdue. Null if none is, or if only the
     * device hears the rank
     */
    public record Peer(int rank, int usable, List<String> broken, long unanswered, @Nullable Duration roundTrip,
            @Nullable Instant silentSince) {}

    /**
     * The traffic over connections since this process began.
     *
     * @param requests each consists of some verbs
     * @param writes to sockets: if there are fewer writes than requests, requests were gathered
     * @param sentBytes of requests, before they are encrypted
     * @param receivedBytes of answers, after they are decrypted
     * @param unknownOutcomes verbs that change something and were lost with their connection: they may or may not have
     * been executed
     */
    public record Traffic(long requests, long writes, long sentBytes, long receivedBytes, long unknownOutcomes) {

        public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0);

        /** Returns the sum of both. */
        public Traffic and(Traffic other) {
            return new Traffic(requests + other.requests, writes + other.writes, sentBytes + other.sentBytes,
                    receivedBytes + other.receivedBytes, unknownOutcomes + other.unknownOutcomes);
        }
    }
}
