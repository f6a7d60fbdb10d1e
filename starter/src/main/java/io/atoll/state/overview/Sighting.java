package io.atoll.state.overview;

import io.atoll.background.Trouble;
import io.atoll.state.EpochSummary;
import io.atoll.state.LockTableState;
import io.atoll.state.RankState;
import io.atoll.state.StructureState;
import io.atoll.state.ViewState;
import io.atoll.state.WorldState;
import java.util.List;

/**
 * What problems are found in.
 *
 * @param ranks in their order
 * @param pinLimitMillis for how long a token may be pinned
 * @param troubles of the answering process
 * @param brokenPromises of the answering process, the last ones
 */
public record Sighting(WorldState world, ViewState view, List<RankState> ranks, EpochSummary epochs,
        long pinLimitMillis, List<LockTableState> lockTables, List<StructureState> structures,
        List<Trouble> troubles, List<BrokenPromise> brokenPromises) {

    /**
     * @param text what was promised and what happened
     * @param ageMillis how long ago
     */
    public record BrokenPromise(String structure, String text, long ageMillis) {}
}
