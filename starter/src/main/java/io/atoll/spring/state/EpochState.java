package io.atoll.spring.state;

import io.atoll.epoch.EpochSnapshot;
import io.atoll.epoch.LocalEpochManager;
import io.atoll.epoch.LocalEpochSnapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the reclamation of objects stands, as the answering rank sees it.
 *
 * @param local managers of the answering process alone, by name: the application's beans
 * @param used whether any rank has used it; nothing is known before, nor while the rank that has the epoch is out of reach
 * @param epoch of the world
 * @param ranks that can be read, in their order
 */
public record EpochState(List<LocalEpochs> local, boolean used, long epoch, List<RankEpoch> ranks) {

    /**
     * @param present false for a rank that cannot be read: as the answering rank saw it last. What it has in limbo waits for its next incarnation
     * @param cachedEpoch in which its tokens are pinned
     * @param incarnation whose tokens these are, 0 if it has used none
     * @param tokens that are pinned
     * @param limbo lists that are not empty
     * @param retired objects since ever, without those of bags that are not full yet
     * @param freed objects
     * @param freedBytes of those objects, as far as it was told
     * @param lost objects that deaths have cost
     * @param advances of the world's epoch by this rank
     * @param failedElections attempts that left it to others
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
     * @param rank whose it is
     * @param thread that has pinned it
     * @param epoch since which it is pinned
     * @param ageMillis for how long, as far as the answering rank has seen
     * @param blocks whether the epoch of the world does not advance because of it
     */
    public record PinnedToken(int rank, String thread, long epoch, long ageMillis, boolean blocks) {

        static PinnedToken of(EpochSnapshot.TokenState token) {
            return new PinnedToken(token.rank(), token.thread(), token.epoch(), token.age().toMillis(), token.blocks());
        }
    }

    /**
     * @param epoch in which the objects were sealed
     * @param bytes of the objects, as far as it was told
     * @param owned what each rank has of them, in the order of ranks; empty for a manager of one process
     */
    public record LimboList(long epoch, long objects, long bytes, List<OwnedObjects> owned) {

        static LimboList of(EpochSnapshot.Limbo limbo) {
            return new LimboList(limbo.epoch(), limbo.objects(), limbo.bytes(),
                    limbo.owned().stream().map(OwnedObjects::of).toList());
        }
    }

    /**
     * @param rank in whose segment the objects are
     * @param bytes of the objects, as far as it was told
     */
    public record OwnedObjects(int rank, long objects, long bytes) {

        static OwnedObjects of(EpochSnapshot.Owned owned) {
            return new OwnedObjects(owned.rank(), owned.objects(), owned.bytes());
        }
    }

    /**
     * @param name of the bean
     * @param tokens that are pinned
     * @param limbo lists that are not empty
     * @param retired objects since ever, without those of bags that are not full yet
     * @param freed objects
     * @param lost objects that could not be freed
     * @param advances of its epoch
     * @param failedElections attempts that left it to another thread
     */
    public record LocalEpochs(String name, long epoch, List<PinnedToken> tokens, List<LimboList> limbo, long retired,
            long freed, long lost, long advances, long failedElections) {

        static LocalEpochs of(String name, int rank, LocalEpochManager manager) {
            LocalEpochSnapshot seen = manager.snapshot();
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

    /** Of a world that has not been used, or cannot be read. */
    static EpochState unknown(List<LocalEpochs> local) {
        return new EpochState(local, false, 0, List.of());
    }

    static EpochState of(EpochSnapshot snapshot, List<LocalEpochs> local) {
        return new EpochState(local, true, snapshot.epoch(), snapshot.ranks().stream().map(RankEpoch::of).toList());
    }

    /** By rank, objects that wait for the next incarnation of a rank that is not there: nobody else frees them. */
    public Map<Integer, Long> stranded() {
        return ranks.stream()
                .filter(rank -> !rank.present && !rank.limbo.isEmpty())
                .collect(Collectors.toMap(RankEpoch::rank,
                        rank -> rank.limbo.stream().mapToLong(LimboList::objects).sum(), Long::sum, TreeMap::new));
    }

    /** By rank, objects that deaths have cost. */
    public Map<Integer, Long> lost() {
        return ranks.stream()
                .filter(rank -> rank.lost > 0)
                .collect(Collectors.toMap(RankEpoch::rank, RankEpoch::lost, Long::sum, TreeMap::new));
    }

    /** Tokens that have been pinned for longer. */
    public List<PinnedToken> pinnedLongerThan(long millis) {
        return Stream.concat(ranks.stream().map(RankEpoch::tokens), local.stream().map(LocalEpochs::tokens))
                .flatMap(List::stream)
                .filter(token -> token.ageMillis > millis)
                .toList();
    }
}
