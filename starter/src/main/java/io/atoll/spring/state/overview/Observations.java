package io.atoll.spring.state.overview;

import io.atoll.background.BackgroundThread;
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
 * The results of looks that problems are found in.
 *
 * @param ranks the ranks in their order
 * @param stillRanks the ranks whose processes do nothing
 * @param pinLimitMillis how long a token may be pinned
 * @param troubles the troubles of the answering process
 * @param brokenPromises the broken promises that ranks have found recently
 */
public record Observations(WorldState world, ViewState view, List<RankState> ranks, List<StillRank> stillRanks,
        EpochSummary epochs, long pinLimitMillis, List<LockTableState> lockTables, List<Deadlock> deadlocks,
        List<StructureState> structures, List<BackgroundThread.Trouble> troubles, List<BrokenPromise> brokenPromises) {

    private static final String AFTER_NAME = ": "; // separates the name from the rest in the text of an event

    /**
     * @param rank the rank that has found it
     * @param structure the name of the structure, or its beginning if it is long
     * @param other the rank that has made one of the two calls
     * @param lines the lines of both calls in the program
     * @param ageMillis how long ago it was found
     */
    public record BrokenPromise(int rank, int other, String structure, String lines, long ageMillis) {

        static BrokenPromise of(RankEvent event) {
            String[] parts = event.text().split(AFTER_NAME, 2);
            return new BrokenPromise(event.rank(), event.subject(), parts[0], parts[parts.length - 1],
                    event.ageMillis());
        }
    }
}
