package io.atoll.spring.state;

import io.atoll.epoch.EpochSnapshot;
import io.atoll.epoch.LocalEpochManager;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of the reclamation of objects, as the answering rank sees it.
 *
 * @param local managers that only the answering process has, by name: the application's beans
 * @param used true if any rank has used reclamation. Before that, nothing is known. The same holds while the rank that
 * has the epoch is out of reach
 * @param epoch the epoch of the world
 * @param ranks the ranks that can be read, in their order
 */
public record EpochState(List<LocalEpochs> local, boolean used, long epoch, List<RankEpoch> ranks) {

    /**
     * @param present false for a rank that cannot be read. It is shown as the answering rank saw it last. Its objects
     * in limbo wait for its next incarnation
     * @param cachedEpoch the epoch in which its tokens are pinned
     * @param incarnation the incarnation that has these tokens, 0 if the rank has used none
     * @param tokens the tokens that are pinned
     * @param limbo the lists that are not empty
     * @param retired the number of retired objects since the beginning, without those in bags that are not full yet
     * @param freed the number of freed objects
     * @param freedBytes the bytes of freed objects, as far as they are known
     * @param lost the number of objects that deaths have cost
     * @param advances how often this rank has advanced the world's epoch
     * @param failedElections how often this rank's attempt has left it to others
     */
    public record RankEpoch(int rank, boolean present, long cachedEpoch, int incarnation, List<PinnedToken> tokens,
            List<LimboList> limbo,
            long retired, long freed, long freedBytes, long lost, long advances, long failedElections) {

        static RankEpoch of(EpochSnapshot.Rank rank) {
            return new RankEpoch(rank.rank(), rank.present(), rank.cachedEpoch(), rank.incarnation(),
                    rank.tokens().stream().filter(EpochSnapshot.TokenState::pinned).map(PinnedToken::of).toList(),
                    rank.limbo().stream().map(LimboList::of).toList(), rank.retired(), rank.freed(), rank.freedBytes(),
                    rank.lost(), rank.advances(), rank.failedElections());
        }
    }

    /**
     * @param rank the rank that has the token
     * @param thread the thread that has pinned it
     * @param epoch the epoch since which it is pinned
     * @param ageMillis how long it has been pinned, as far as the answering rank has seen
     * @param blocks true if the token keeps the epoch of the world from advancing
     */
    public record PinnedToken(int rank, String thread, long epoch, long ageMillis, boolean blocks) {

        static PinnedToken of(EpochSnapshot.TokenState token) {
            return new PinnedToken(token.rank(), token.thread(), token.epoch(), token.age().toMillis(), token.blocks());
        }
    }

    /**
     * @param epoch the epoch in which the objects were sealed
     * @param bytes the bytes of the objects, as far as they are known
     * @param owned the objects by the rank that owns them, in the order of ranks; empty for a manager of one process
     */
    public record LimboList(long epoch, long objects, long bytes, List<OwnedObjects> owned) {

        static LimboList of(EpochSnapshot.Limbo limbo) {
            return new LimboList(limbo.epoch(), limbo.objects(), limbo.bytes(),
                    limbo.owned().stream().map(OwnedObjects::of).toList());
        }
    }

    /**
     * @param rank the rank whose segment contains the objects
     * @param bytes the bytes of the objects, as far as they are known
     */
    public record OwnedObjects(int rank, long objects, long bytes) {

        static OwnedObjects of(EpochSnapshot.Owned owned) {
            return new OwnedObjects(owned.rank(), owned.objects(), owned.bytes());
        }
    }

    /**
     * @param name the name of the bean
     * @param tokens the tokens that are pinned
     * @param limbo the lists that are not empty
     * @param retired the number of retired objects since the beginning, without those in bags that are not full yet
     * @param freed the number of freed objects
     * @param lost the number of objects that could not be freed
     * @param advances how often its epoch has advanced
     * @param failedElections how often an attempt has left it to another thread
     */
    public record LocalEpochs(String name, long epoch, List<PinnedToken> tokens, List<LimboList> limbo, long retired,
            long freed, long lost, long advances, long failedElections) {

        static LocalEpochs of(String name, int rank, LocalEpochManager manager) {
            LocalEpochManager.Snapshot seen = manager.snapshot();
            return new LocalEpochs(name, seen.epoch(),
                    seen.tokens()
                            .stream()
                            .filter(EpochSnapshot.TokenState::pinned)
                            .map(token -> new PinnedToken(rank, token.thread(), token.epoch(), token.age().toMillis(),
                                    token.blocks()))
                            .toList(),
                    seen.limbo().stream().map(LimboList::of).toList(), seen.retired(), seen.freed(), seen.lost(),
                    seen.advances(), seen.failedElections());
        }
    }

    /** Returns the state of a world that has not used reclamation, or cannot be read. */
    static EpochState unknown(List<LocalEpochs> local) {
        return new EpochState(local, false, 0, List.of());
    }

    static EpochState of(EpochSnapshot snapshot, List<LocalEpochs> local) {
        return new EpochState(local, true, snapshot.epoch(), snapshot.ranks().stream().map(RankEpoch::of).toList());
    }

    /**
     * Returns, by rank, the number of objects that wait for the next incarnation of an absent rank. No other rank frees
     * them.
     */
    public Map<Integer, Long> stranded() {
        return ranks.stream()
                .filter(rank -> !rank.present && !rank.limbo.isEmpty())
                .collect(Collectors.toMap(RankEpoch::rank,
                        rank -> rank.limbo.stream().mapToLong(LimboList::objects).sum(), Long::sum, TreeMap::new));
    }

    /** Returns, by rank, the number of objects that deaths have cost. */
    public Map<Integer, Long> lost() {
        return ranks.stream()
                .filter(rank -> rank.lost > 0)
                .collect(Collectors.toMap(RankEpoch::rank, RankEpoch::lost, Long::sum, TreeMap::new));
    }

    /** Returns the tokens that have been pinned for longer. */
    public List<PinnedToken> pinnedLongerThan(long millis) {
        return Stream.concat(ranks.stream().map(RankEpoch::tokens), local.stream().map(LocalEpochs::tokens))
                .flatMap(List::stream)
                .filter(token -> token.ageMillis > millis)
                .toList();
    }
}
