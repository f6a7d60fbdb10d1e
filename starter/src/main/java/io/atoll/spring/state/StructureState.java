package io.atoll.spring.state;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A named structure, as the answering rank's directory lists it.
 *
 * @param kind the first word of its configuration
 * @param configuration the configuration that every rank must open it with
 * @param bytes the bytes that it has in the answering rank's segment
 * @param totalBytes the bytes that it has in the segments of all readable ranks
 * @param skew the largest of these shares over their mean, from 1. Null if it has none, or is at one rank by its
 * configuration
 * @param operationsPerSecond the operations of all readable ranks' processes, in the last second that each has written
 * down. Null if no rank keeps a history, or if there are too few operations to be listed
 * @param repairs how often the answering rank's process has repaired an operation in it that a dead rank had left
 * unfinished
 * @param figures figures by name, such as how full it is; estimated if it is large. Entries are counted unless the
 * figure's name says about, or below. Empty for a kind that shows nothing, or while its host cannot be reached
 */
public record StructureState(String name, String kind, String configuration, long bytes, long totalBytes,
        @Nullable Double skew, @Nullable Double operationsPerSecond, long repairs, Map<String, Double> figures) {

    static StructureState of(StructureSummary summary, long repairs, Map<String, Double> figures) {
        return new StructureState(summary.name(), summary.kind(), summary.configuration(), summary.bytes(),
                summary.totalBytes(), summary.skew(), summary.operationsPerSecond(), repairs, figures);
    }
}
