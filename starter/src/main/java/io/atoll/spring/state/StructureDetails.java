package io.atoll.spring.state;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known of a named structure. Most components are those of {@link StructureState}. The others are:
 *
 * @param settings the settings of its configuration, in words, by name
 * @param ranks what each readable rank has of it, in the order of ranks
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
