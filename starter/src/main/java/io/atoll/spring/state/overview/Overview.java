package io.atoll.spring.state.overview;

import io.atoll.spring.state.WorldState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A world at a glance.
 *
 * @param sentence the state of the world, in one sentence
 * @param severity the severity of the worst problem; good if there is none
 * @param problems the problems, the most severe first
 * @param ranks the number of ranks by standing
 * @param sparklines figures of the last 60 seconds by name, the oldest first; null for a second of which nothing is
 * known
 */
public record Overview(WorldState world, String sentence, Severity severity, List<Problem> problems, RankCounts ranks,
        Map<String, List<@Nullable Double>> sparklines) {

    /** The number of ranks by standing. */
    public record RankCounts(int joined, int lost, int missing) {}
}
