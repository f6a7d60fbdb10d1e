package io.atoll.spring.state.overview;

import io.atoll.spring.state.WorldState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A world in one look.
 *
 * @param sentence how it stands, in one
 * @param severity of the worst problem; good where there is none
 * @param problems the most severe first
 * @param ranks how many of them stand where
 * @param sparklines by name, of each of the last 60 s what was seen, the oldest first; null of a second of which nothing is known
 */
public record Overview(WorldState world, String sentence, Severity severity, List<Problem> problems, RankCounts ranks,
        Map<String, List<@Nullable Double>> sparklines) {

    /** How many ranks stand where. */
    public record RankCounts(int joined, int lost, int missing) {}
}
