package io.atoll.spring.state;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a named structure. As {@link StructureState}, and beside it:
 *
 * @param settings of its configuration, in words, by name
 * @param ranks what each rank that can be read has of it, in their order
 */
public record StructureDetails(String name, String kind, String configuration, long bytes, long totalBytes,
        @Nullable Double skew, @Nullable Double operationsPerSecond, long repairs, Map<String, Double> figures,
        Map<String, String> settings,
        List<RankBytes> ranks) {

    /** What one rank has of a structure. */
    public record RankBytes(int rank, long bytes) {}

    static StructureDetails of(StructureState state, List<RankBytes> ranks) {
        return new StructureDetails(state.name(), state.kind(), state.configuration(), state.bytes(),
                state.totalBytes(), state.skew(), state.operationsPerSecond(), state.repairs(), state.figures(),
                Settings.inWords(state.configuration()), ranks);
    }
}
