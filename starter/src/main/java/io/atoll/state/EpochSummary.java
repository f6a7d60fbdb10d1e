package io.atoll.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the reclamation of objects stands, a line for each rank.
 *
 * @param local managers of the answering process alone, by name
 * @param used whether any rank has used it
 * @param epoch of the world
 * @param ranks in their order
 * @param blocker the token that the epoch of the world waits for, of several the one that is pinned longest; null if it waits for none
 * @param pinned tokens, those that are pinned longest first, at most 64
 * @param forecast when segments will be full, if what is retired goes on as in the last minute: of ranks of which that can be told
 */
public record EpochSummary(List<EpochState.LocalEpochs> local, boolean used, long epoch, List<RankSummary> ranks,
        EpochState.@Nullable PinnedToken blocker, List<EpochState.PinnedToken> pinned, List<Forecast> forecast) {

    /**
     * @param present false for a rank that cannot be read: as the answering rank saw it last
     * @param cachedEpoch in which its tokens are pinned
     * @param pinned how many of its tokens are
     * @param blocks whether the epoch of the world does not advance because of one of them
     * @param limboObjects that it has retired and that are not freed yet
     * @param limboBytes of those, as far as it was told
     * @param ownedLimbo objects of this rank's segment that any rank has retired, not freed yet
     * @param retired objects since ever
     * @param freed objects
     * @param lost objects that deaths have cost
     */
    public record RankSummary(int rank, boolean present, long cachedEpoch, int pinned, boolean blocks,
            long limboObjects, long limboBytes, OwnedLimbo ownedLimbo, long retired, long freed, long freedBytes,
            long lost, long advances, long failedElections) {}

    /** Objects of one segment, and their bytes as far as that was told. */
    public record OwnedLimbo(long objects, long bytes) {}

    /** @param fullInMillis when its segment will be full; null if it does not get fuller */
    public record Forecast(int rank, @Nullable Long fullInMillis) {}
}
