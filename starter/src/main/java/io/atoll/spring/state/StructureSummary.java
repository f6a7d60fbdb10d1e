package io.atoll.spring.state;

import io.atoll.world.NamedStructure;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a structure without looking into it. Its components are those of {@link StructureState}, except
 * figures.
 *
 * @param bytes the bytes that it has in the answering rank's segment
 * @param totalBytes the bytes that it has in the segments of all readable ranks
 * @param skew the largest of these shares over their mean. Null if it has none, or is at one rank by its configuration
 * @param operationsPerSecond as in {@link StructureState}
 */
public record StructureSummary(String name, String kind, String configuration, long bytes, long totalBytes,
        @Nullable Double skew, @Nullable Double operationsPerSecond) {

    static StructureSummary of(PlacedStructure placed, Shares shares, @Nullable Double operationsPerSecond) {
        NamedStructure structure = placed.structure();
        return new StructureSummary(structure.name(), structure.kind(), structure.configuration(), placed.bytes(),
                shares.totalBytes(), structure.number("host").isPresent() ? null : shares.skew(), operationsPerSecond);
    }
}
