package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.world.NamedStructure;
import java.util.List;

/** A structure, and its place in one rank's segment. */
record PlacedStructure(NamedStructure structure, List<Inspection.Extent> extents) {

    String name() {
        return structure.name();
    }

    long bytes() {
        return extents.stream().mapToLong(Inspection.Extent::bytes).sum();
    }
}
