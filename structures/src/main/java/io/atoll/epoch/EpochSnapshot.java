package io.atoll.epoch;

import java.time.Duration;
import java.util.List;

/**
 * The state of a world's reclamation. Each number was true at some moment. Together they are consistent if nothing
 * happened meanwhile.
 *
 * @param epoch of the world
 * @param ranks that could be read now or before, in their order
 */
public record EpochSnapshot(long epoch, List<Rank> ranks) {

    /**
     * One rank's part.
     *
     * @param present false if the rank cannot be read, and is shown as this process last saw it. Its tokens are then
     * not shown, and its objects in limbo wait for its next incarnation
     * @param cachedEpoch the epoch in which the rank's tokens are pinned
     * @param incarnation of the process whose tokens these are, 0 if no process has used any
     * @param tokens all that have ever been registered
     * @param limbo the lists that are not empty
     * @param retired all objects ever retired, without those in bags that are not full yet
     * @param retiredBytes of those objects, as far as known
     * @param freed objects
     * @param freedBytes of those objects, as far as known
     * @param lost objects that were lost by deaths
     * @param advances how often this rank has advanced the world's epoch
     * @param failedElections attempts that left the work to another thread or rank
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
     * One place of a rank's table of tokens.
     *
     * @param thread the thread that has the place, or had it last. After its operation, the
     * connection that has to be replaced before the pin ends, as in {@code (a broken connection to rank 3)}
     * @param epoch in which the token is pinned; meaningless if it is not pinned
     * @param age how long the token has been pinned, as far as this process has seen
     * @param blocks true if this token keeps the epoch of the world from advancing
     */
    public record TokenState(int rank, int index, String thread, boolean pinned, long epoch, Duration age,
            boolean blocks) {}

    /**
     * Objects that wait to be freed.
     *
     * @param epoch in which they were sealed; for objects that arrived late, a multiple of three earlier
     * @param bytes of the objects, as far as known
     * @param owned the objects by owner, in the order of ranks, without ranks that own none; empty where there are no
     * ranks
     */
    public record Limbo(long epoch, long objects, long bytes, List<Owned> owned) {}

    /**
     * Objects in one rank's segment that wait to be freed.
     *
     * @param bytes of the objects, as far as known
     */
    public record Owned(int rank, long objects, long bytes) {}

    /** Returns the tokens that have been pinned for longer than the limit. */
    public List<TokenState> pinnedLongerThan(Duration limit) {
        return ranks.stream()
                .flatMap(rank -> rank.tokens.stream())
                .filter(token -> token.pinned && token.age.compareTo(limit) > 0)
                .toList();
    }

    /** Returns how many objects absent ranks have in limbo. They are not freed until those ranks are back. */
    public long stranded() {
        return ranks.stream().filter(rank -> !rank.present).mapToLong(Rank::inLimbo).sum();
    }
}
