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
 * @param targetBorn the incarnation in which the wanted segment was made, or {@link Greeting#ANY_SEGMENT}
 * @param met the highest incarnation of the target that the rank that asks has met or shut out, 0 for none
 * @param lane which of its connections
 * @param attempt counts the attempts of its incarnation to connect: a network may deliver an earlier one after a later
 * one. The number wraps around
 */
public record Request(long layoutVersion, long worldId, int rank, int target, int incarnation, int targetIncarnation,
        int targetBorn, int met, int lane, int attempt) {

    public Request(WorldIdentity world, int rank, int target, int incarnation, int targetIncarnation, int lane,
            int attempt) {
        this(SegmentHeader.LAYOUT_VERSION, world.id(), rank, target, incarnation, targetIncarnation,
                Greeting.ANY_SEGMENT, 0, lane, attempt);
    }

    /** The same, of a rank that expects that segment, and has met that incarnation of the target. */
    public Request of(int expectedBorn, int lastMet) {
        return new Request(layoutVersion, worldId, rank, target, incarnation, targetIncarnation, expectedBorn, lastMet,
                lane, attempt);
    }

    /** Returns whether it asks for what takes the other one's place. */
    public boolean isSuccessorOf(Request other) {
        return isOfTheSameLane(other) && attempt - other.attempt >= 0;
    }

    /** Returns whether its requester has given it up, and made the other one since. */
    public boolean isAbandonedFor(Request other) {
        return isOfTheSameLane(other) && attempt - other.attempt < 0;
    }

    /** Returns whether it says the same, be it by another attempt. */
    boolean isRepetitionOf(Request other) {
        return equals(new Request(other.layoutVersion, other.worldId, other.rank, other.target, other.incarnation,
                other.targetIncarnation, other.targetBorn, other.met, other.lane, attempt));
    }

    private boolean isOfTheSameLane(Request other) {
        return rank == other.rank && incarnation == other.incarnation && lane == other.lane;
    }
}
