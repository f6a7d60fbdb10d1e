package io.atoll.spring.state;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A named structure, as the answering rank's directory lists it.
 *
 * @param kind the first word of its configuration
 * @param configuration what every rank that opens it must ask for
 * @param bytes that it has in the answering rank's segment
 * @param totalBytes that it has in the segments of all ranks that can be read
 * @param skew the largest of these shares over their mean, from 1; null where it has none, or lies at one rank by its configuration
 * @param operationsPerSecond what the processes of all ranks that can be read do with it, in the last second that each
 * has written down; null where none keeps a history, and where it is
 * too little to be told one by one
 * @param repairs how often the answering rank's process has repaired in it what a dead rank had left in the middle of an operation
 * @param figures what it shows of itself, by name: how full it is and the like, estimated where it is large; entries are counted unless their name says about, or below. None of a kind that shows nothing, or while its
 * host cannot be reached
 */
public record StructureState(String name, String kind, String configuration, long bytes, long totalBytes,
        @Nullable Double skew, @Nullable Double operationsPerSecond, long repairs, Map<String, Double> figures) {

    static StructureState of(StructureSummary summary, long repairs, Map<String, Double> figures) {
        return new StructureState(summary.name(), summary.kind(), summary.configuration(), summary.bytes(),
                summary.totalBytes(), summary.skew(), summary.operationsPerSecond(), repairs, figures);
    }
}
