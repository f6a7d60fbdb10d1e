package io.atoll.fabric.link;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;

/**
 * The request of one rank to use another's segment.
 *
 * @param rank the rank that asks
 * @param target the rank whose segment is wanted
 * @param incarnation of the rank that asks
 * @param targetIncarnation as the rank that asks knows it, or {@link Handshake#ANY_INCARNATION}
 * @param targetBorn the incarnation in which the wanted segment was made, or {@link Handshake#ANY_SEGMENT}
 * @param met the highest incarnation of the target that the rank that asks has met or shut out, 0 for none
 * @param lane the number of the connection between the two
 * @param attempt counts the attempts of its incarnation to connect: a network may deliver an earlier one after a later
 * one. The number wraps around
 */
public record ConnectRequest(long layoutVersion, long worldId, int rank, int target, int incarnation,
        int targetIncarnation,
        int targetBorn, int met, int lane, int attempt) {

    public ConnectRequest(WorldIdentity world, int rank, int target, int incarnation, int targetIncarnation, int lane,
            int attempt) {
        this(SegmentHeader.LAYOUT_VERSION, world.id(), rank, target, incarnation, targetIncarnation,
                Handshake.ANY_SEGMENT, 0, lane, attempt);
    }

    /** Returns the same request of a rank that expects this segment and has met this incarnation of the target. */
    public ConnectRequest of(int expectedBorn, int lastMet) {
        return new ConnectRequest(layoutVersion, worldId, rank, target, incarnation, targetIncarnation, expectedBorn,
                lastMet,
                lane, attempt);
    }

    /** Returns true if this request takes the place of the other one. */
    public boolean isSuccessorOf(ConnectRequest other) {
        return isOfTheSameLane(other) && attempt - other.attempt >= 0;
    }

    /** Returns true if the requester has given this request up and has made the other one since. */
    public boolean isAbandonedFor(ConnectRequest other) {
        return isOfTheSameLane(other) && attempt - other.attempt < 0;
    }

    /** Returns true if both say the same, possibly by different attempts. */
    boolean isRepetitionOf(ConnectRequest other) {
        return equals(
                new ConnectRequest(other.layoutVersion, other.worldId, other.rank, other.target, other.incarnation,
                        other.targetIncarnation, other.targetBorn, other.met, other.lane, attempt));
    }

    private boolean isOfTheSameLane(ConnectRequest other) {
        return rank == other.rank && incarnation == other.incarnation && lane == other.lane;
    }
}
