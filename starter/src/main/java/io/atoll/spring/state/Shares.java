package io.atoll.spring.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each readable rank has of a structure, in the order of ranks. */
record Shares(List<StructureDetails.RankBytes> ranks) {

    static final Shares NONE = new Shares(List.of());

    long totalBytes() {
        return ranks.stream().mapToLong(StructureDetails.RankBytes::bytes).sum();
    }

    /** Returns the largest share over the mean share. Returns null if there is none. */
    @Nullable Double skew() {
        long total = totalBytes();
        long largest = ranks.stream().mapToLong(StructureDetails.RankBytes::bytes).max().orElse(0);
        return total == 0 ? null : (double) largest * ranks.size() / total;
    }
}
