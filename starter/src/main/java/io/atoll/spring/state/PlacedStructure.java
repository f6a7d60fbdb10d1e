package io.atoll.spring.state;

import io.atoll.world.Extent;
import io.atoll.world.NamedStructure;
import java.util.List;

/** A structure, and its place in one rank's segment. */
record PlacedStructure(NamedStructure structure, List<Extent> extents) {

    String name() {
        return structure.name();
    }

    long bytes() {
        return extents.stream().mapToLong(Extent::bytes).sum();
    }
}
