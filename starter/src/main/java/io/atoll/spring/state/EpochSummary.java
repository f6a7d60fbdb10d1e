package io.atoll.spring.state;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the reclamation of objects, with one line for each rank.
 *
 * @param local managers that only the answering process has, by name
 * @param used true if any rank has used reclamation
 * @param epoch the epoch of the world
 * @param ranks the ranks in their order
 * @param blocker the token that the epoch of the world waits for. If there are several, the one that has been pinned
 * longest; null if there is none
 * @param pinned the pinned tokens, the longest pinned first, at most 64
 * @param forecast when segments will be full if they continue to fill up as in their last minute. Only ranks that keep
 * a history have one
 */
public record EpochSummary(List<EpochState.LocalEpochs> local, boolean used, long epoch, List<RankSummary> ranks,
        EpochState.@Nullable PinnedToken blocker, List<EpochState.PinnedToken> pinned, List<Forecast> forecast) {

    private static final int MOST_PINNED = 64;
    private static final OwnedLimbo NOTHING = new OwnedLimbo(0, 0);

    /**
     * @param present false for a rank that cannot be read. It is shown as the answering rank saw it last
     * @param cachedEpoch the epoch in which its tokens are pinned
     * @param pinned the number of its pinned tokens
     * @param blocks true if one of them keeps the epoch of the world from advancing
     * @param limboObjects the number of objects that it has retired and that are not freed yet
     * @param limboBytes the bytes of these objects, as far as they are known
     * @param ownedLimbo objects in this rank's segment that any rank has retired and that are not freed yet
     * @param retired the number of retired objects since the beginning
     * @param freed the number of freed objects
     * @param lost the number of objects that deaths have cost
     */
    public record RankSummary(int rank, boolean present, long cachedEpoch, int pinned, boolean blocks,
            long limboObjects, long limboBytes, OwnedLimbo ownedLimbo, long retired, long freed, long freedBytes,
            long lost, long advances, long failedElections) {}

    /** Objects of one segment, and their bytes as far as they are known. */
    public record OwnedLimbo(long objects, long bytes) {

        OwnedLimbo and(OwnedLimbo more) {
            return new OwnedLimbo(objects + more.objects, bytes + more.bytes);
        }
    }

    /** @param fullInMillis when the rank's segment will be full; null if it does not get fuller */
    public record Forecast(int rank, @Nullable Long fullInMillis) {}

    static EpochSummary of(EpochState state, List<Forecast> forecast) {
        Map<Integer, OwnedLimbo> owned = new HashMap<>();
        for (EpochState.RankEpoch rank : state.ranks()) {
            for (EpochState.LimboList limbo : rank.limbo()) {
                limbo.owned()
                        .forEach(each -> owned.merge(each.rank(), new OwnedLimbo(each.objects(), each.bytes()),
                                OwnedLimbo::and));
            }
        }
        List<EpochState.PinnedToken> pinned = state.ranks()
                .stream()
                .flatMap(rank -> rank.tokens().stream())
                .sorted(Comparator.comparingLong(EpochState.PinnedToken::ageMillis).reversed())
                .toList();
        return new EpochSummary(state.local(), state.used(), state.epoch(),
                state.ranks().stream().map(rank -> of(rank, owned.getOrDefault(rank.rank(), NOTHING))).toList(),
                pinned.stream().filter(EpochState.PinnedToken::blocks).findFirst().orElse(null),
                pinned.stream().limit(MOST_PINNED).toList(), forecast);
    }

    private static RankSummary of(EpochState.RankEpoch rank, OwnedLimbo owned) {
        return new RankSummary(rank.rank(), rank.present(), rank.cachedEpoch(), rank.tokens().size(),
                rank.tokens().stream().anyMatch(EpochState.PinnedToken::blocks),
                rank.limbo().stream().mapToLong(EpochState.LimboList::objects).sum(),
                rank.limbo().stream().mapToLong(EpochState.LimboList::bytes).sum(), owned, rank.retired(),
                rank.freed(), rank.freedBytes(), rank.lost(), rank.advances(), rank.failedElections());
    }
}
