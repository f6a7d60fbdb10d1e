package io.atoll.world;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.Map;

/**
 * A process as it presents itself to the others.
 *
 * @param layoutVersion how it lays out its segment
 * @param incarnation how often the rank has been started, from 1
 * @param address what peers must know to reach its segment; the fabric defines the keys
 */
public record Member(WorldIdentity world, long layoutVersion, int rank, int incarnation, Map<String, String> address) {

    public Member {
        address = Map.copyOf(address);
    }

    public Member(WorldIdentity world, int rank, int incarnation, Map<String, String> address) {
        this(world, SegmentHeader.LAYOUT_VERSION, rank, incarnation, address);
    }
}
