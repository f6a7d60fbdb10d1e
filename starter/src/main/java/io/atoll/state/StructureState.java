package io.atoll.state;

import io.atoll.world.directory.NamedStructure;
import java.util.Map;

/**
 * A named structure, as the answering rank's directory lists it.
 *
 * @param kind the first word of its configuration
 * @param configuration what every rank that opens it must ask for
 * @param bytes that it has in the answering rank's segment
 * @param figures what it shows of itself, by name: how full it is and the like, estimated where it is large; entries are counted unless their name says about, or below. None of a kind that shows nothing, or while its
 * host cannot be reached
 */
public record StructureState(String name, String kind, String configuration, long bytes, Map<String, Double> figures) {

    static StructureState of(Placed placed, Map<String, Double> figures) {
        NamedStructure structure = placed.structure();
        return new StructureState(structure.name(), structure.kind(), structure.configuration(), placed.bytes(),
                figures);
    }
}
