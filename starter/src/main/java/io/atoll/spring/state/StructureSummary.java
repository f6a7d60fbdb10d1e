package io.atoll.spring.state;

import io.atoll.world.NamedStructure;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a structure without looking into it. As {@link StructureState}, but for figures.
 *
 * @param bytes that it has in the answering rank's segment
 * @param totalBytes that it has in the segments of all ranks that can be read
 * @param skew the largest of these shares over their mean; null where it has none, or lies at one rank by its configuration
 * @param operationsPerSecond as of {@link StructureState}
 */
public record StructureSummary(String name, String kind, String configuration, long bytes, long totalBytes,
        @Nullable Double skew, @Nullable Double operationsPerSecond) {

    static StructureSummary of(Placed placed, Shares shares, @Nullable Double operationsPerSecond) {
        NamedStructure structure = placed.structure();
        return new StructureSummary(structure.name(), structure.kind(), structure.configuration(), placed.bytes(),
                shares.totalBytes(), structure.number("host").isPresent() ? null : shares.skew(), operationsPerSecond);
    }
}
