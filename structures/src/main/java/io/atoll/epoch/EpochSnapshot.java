package io.atoll.epoch;

import java.time.Duration;
import java.util.List;

/**
 * How the reclamation of a world stands. Each number was true at some moment; together they are consistent if nothing happened meanwhile.
 *
 * @param epoch of the world
 * @param ranks that could be read now or before, in their order
 */
public record EpochSnapshot(long epoch, List<Rank> ranks) {

    /**
     * One rank's part.
     *
     * @param present false for a rank that cannot be read: as this process saw it last. Its tokens are not shown, and what it has in limbo waits for its next incarnation
     * @param cachedEpoch in which its tokens are pinned
     * @param incarnation whose tokens these are, 0 if it has not used any
     * @param tokens that were registered at some time
     * @param limbo lists that are not empty
     * @param retired objects since ever, without those of bags that are not full yet
     * @param retiredBytes of those objects, as far as it was told
     * @param freed objects
     * @param freedBytes of those objects, as far as it was told
     * @param lost objects that deaths have cost
     * @param advances of the world's epoch by this rank
     * @param failedElections attempts that left it to others
     */
    public record Rank(int rank, boolean present, long cachedEpoch, int incarnation, List<TokenState> tokens,
            List<Limbo> limbo,
            long retired, long retiredBytes, long freed, long freedBytes, long lost, long advances,
            long failedElections) {

        Rank absent() {
            return new Rank(rank, false, cachedEpoch, incarnation, List.of(), limbo, retired, retiredBytes, freed,
                    freedBytes, lost, advances, failedElections);
        }

        long inLimbo() {
            return limbo.stream().mapToLong(Limbo::objects).sum();
        }
    }

    /**
     * One place of a rank's table.
     *
     * @param thread whose it is, or was last
     * @param epoch since which it is pinned; meaningless if it is not
     * @param age for how long it has been pinned, as far as this process has seen
     * @param blocks whether the epoch of the world does not advance because of it
     */
    public record TokenState(int rank, int index, String thread, boolean pinned, long epoch, Duration age,
            boolean blocks) {}

    /**
     * What waits to be freed.
     *
     * @param epoch in which it was sealed, or, of what was put there late, a multiple of three before
     * @param bytes of the objects, as far as it was told
     * @param owned what each rank has of them, in the order of ranks, without those that have none; empty where there are no ranks
     */
    public record Limbo(long epoch, long objects, long bytes, List<Owned> owned) {}

    /**
     * What waits to be freed in one rank's segment.
     *
     * @param bytes of the objects, as far as it was told
     */
    public record Owned(int rank, long objects, long bytes) {}

    /** Tokens that have been pinned for longer than the limit. */
    public List<TokenState> pinnedLongerThan(Duration limit) {
        return ranks.stream()
                .flatMap(rank -> rank.tokens.stream())
                .filter(token -> token.pinned && token.age.compareTo(limit) > 0)
                .toList();
    }

    /** Objects in limbo of ranks that are not there: nobody frees them until their ranks are back. */
    public long stranded() {
        return ranks.stream().filter(rank -> !rank.present).mapToLong(Rank::inLimbo).sum();
    }
}
