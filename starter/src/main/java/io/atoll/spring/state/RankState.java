package io.atoll.spring.state;

import io.atoll.world.Peers.Standing;
import org.jspecify.annotations.Nullable;

/**
 * A rank as the answering one sees it.
 *
 * @param standing where it stands
 * @param refusal why its segment cannot be used although it is there, if so
 * @param incarnation the last one met, from 1; 0 if the rank was never met
 * @param host where it runs, or ran; null if it has told nobody
 * @param pid of its process; null likewise
 * @param version of Atoll there; null likewise
 * @param uptimeMillis for how long its process runs; null of one that is not there
 * @param residentBytes of its process; null where nobody knows
 * @param segmentBytes what its segment holds
 * @param usage what its heap is used for; null while it cannot be reached and was never seen
 * @param lastSeenMillis how old the usage is of a rank that cannot be reached; null of one that can, or was never seen
 */
public record RankState(int rank, Standing standing, @Nullable String refusal, int incarnation, @Nullable String host,
        @Nullable Long pid, @Nullable String version, @Nullable Long uptimeMillis, @Nullable Long residentBytes,
        long segmentBytes, SegmentState.@Nullable Usage usage, @Nullable Long lastSeenMillis) {}
