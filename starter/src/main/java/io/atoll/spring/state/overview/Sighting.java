package io.atoll.spring.state.overview;

import io.atoll.background.Trouble;
import io.atoll.spring.state.Deadlock;
import io.atoll.spring.state.EpochSummary;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.RankEvent;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.StillRank;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import java.util.List;

/**
 * What problems are found in.
 *
 * @param ranks in their order
 * @param stillRanks those of them whose processes do nothing
 * @param pinLimitMillis for how long a token may be pinned
 * @param troubles of the answering process
 * @param brokenPromises that ranks have found lately
 */
public record Sighting(WorldState world, ViewState view, List<RankState> ranks, List<StillRank> stillRanks,
        EpochSummary epochs, long pinLimitMillis, List<LockTableState> lockTables, List<Deadlock> deadlocks,
        List<StructureState> structures,
        List<Trouble> troubles, List<BrokenPromise> brokenPromises) {

    private static final String AFTER_NAME = ": "; // in the text of an event

    /**
     * @param rank that has found it
     * @param structure its name, the beginning of a long one
     * @param other rank that has called one of the two
     * @param lines of both in the program
     * @param ageMillis how long ago
     */
    public record BrokenPromise(int rank, int other, String structure, String lines, long ageMillis) {

        static BrokenPromise of(RankEvent event) {
            String[] parts = event.text().split(AFTER_NAME, 2);
            return new BrokenPromise(event.rank(), event.subject(), parts[0], parts[parts.length - 1],
                    event.ageMillis());
        }
    }
}
