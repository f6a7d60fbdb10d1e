package io.atoll.fabric.link;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;

/**
 * A rank's wish to use another's segment.
 *
 * @param rank that asks
 * @param target whose segment is wanted
 * @param incarnation of the rank that asks
 * @param targetIncarnation as the rank that asks knows it, or {@link Greeting#ANY_INCARNATION}
 * @param lane which of its connections
 */
public record Request(long layoutVersion, long worldId, int rank, int target, int incarnation, int targetIncarnation,
        int lane) {

    public Request(WorldIdentity world, int rank, int target, int incarnation, int targetIncarnation, int lane) {
        this(SegmentHeader.LAYOUT_VERSION, world.id(), rank, target, incarnation, targetIncarnation, lane);
    }

    /** Returns whether it asks for what takes the other one's place. */
    public boolean isSuccessorOf(Request other) {
        return rank == other.rank && incarnation == other.incarnation && lane == other.lane;
    }
}
