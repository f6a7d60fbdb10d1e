package io.atoll.spring.state;

import io.atoll.world.Peers.PeerStatus;
import org.jspecify.annotations.Nullable;

/**
 * A rank as the answering rank sees it.
 *
 * @param standing the standing of the rank in the world
 * @param refusal why its segment cannot be used although it is present; null if it can be used
 * @param incarnation the last incarnation that was met, from 1; 0 if the rank was never met
 * @param host the host where it runs, or ran; null if the rank has not told it
 * @param pid the id of its process; null if the rank has not told it
 * @param version the version of Atoll there; null if the rank has not told it
 * @param uptimeMillis how long its process has been running; null for an absent rank
 * @param residentBytes the resident memory of its process; null if it is not known
 * @param segmentBytes the size of its segment
 * @param usage the use of its heap; null if the heap cannot be reached and was never seen
 * @param lastSeenMillis the age of the usage of a rank that cannot be reached. Null if the rank can be reached, or was
 * never seen
 * @param lostMillis how long ago this process found the rank lost; null if it is not lost
 */
public record RankState(int rank, PeerStatus standing, @Nullable String refusal, int incarnation, @Nullable String host,
        @Nullable Long pid, @Nullable String version, @Nullable Long uptimeMillis, @Nullable Long residentBytes,
        long segmentBytes, SegmentState.@Nullable Usage usage, @Nullable Long lastSeenMillis,
        @Nullable Long lostMillis) {}
