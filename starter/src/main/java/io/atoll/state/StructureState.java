package io.atoll.state;

import io.atoll.world.directory.NamedStructure;

/**
 * A named structure, as the answering rank's directory lists it.
 *
 * @param kind the first word of its configuration
 * @param configuration what every rank that opens it must ask for
 * @param bytes of its block in the answering rank's segment
 */
public record StructureState(String name, String kind, String configuration, long bytes) {

    static StructureState of(NamedStructure structure) {
        return new StructureState(structure.name(), structure.kind(), structure.configuration(),
                structure.bytes());
    }
}
