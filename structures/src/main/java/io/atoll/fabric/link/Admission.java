package io.atoll.fabric.link;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranks the owner of a segment lets in. Letting an incarnation in shuts out all before it, for good. So
 * what a request says of its own incarnation proves nothing: the owner lets in the one that it has itself met, by its
 * membership or by asking the rank. A rank that comes before that is refused for the moment, and comes again.
 *
 * @param segment where it is noted which incarnations were met and which were shut out
 */
record Admission(WorldIdentity world, int rank, int incarnation, LocalMemory segment) {

    /** Returns why the request is refused, or null. */
    @Nullable Refusal refusal(@Nullable Request request) {
        if (request == null) {
            return Refusal.STRANGER;
        }
        if (request.layoutVersion() != SegmentHeader.LAYOUT_VERSION) {
            return Refusal.OTHER_LAYOUT;
        }
        if (request.worldId() != world.id()) {
            return Refusal.OTHER_WORLD;
        }
        if (request.target() != rank) {
            return Refusal.OTHER_RANK;
        }
        if (request.targetIncarnation() != incarnation || isOtherSegment(request)) {
            return Refusal.OTHER_INCARNATION;
        }
        if (request.rank() < 0 || request.rank() >= world.size() || request.incarnation() < 1) {
            return Refusal.STRANGER;
        }
        if (request.lane() < 0 || request.lane() >= Links.MOST_LANES) {
            return Refusal.STRANGER; // else one rank could have any number of connections
        }
        if (request.incarnation() <= segment.getAcquire(SegmentHeader.fencedWord(request.rank()))) {
            return Refusal.FENCED;
        }
        int met = request.rank() == rank ? incarnation : SegmentHeader.remembered(segment, request.rank());
        return request.incarnation() > met ? Refusal.NOT_MET : null;
    }

    /**
     * Whoever knows the rank by a segment that it has lost knows offsets that mean something else here. Its number may
     * still be the present one: a rank without memory counts anew until others tell it.
     */
    private boolean isOtherSegment(Request request) {
        return request.targetBorn() != Greeting.ANY_SEGMENT && request.targetBorn() != SegmentHeader.born(segment);
    }

    /** Returns what this rank tells another one that it refuses. */
    Told told(int other) {
        return new Told(incarnation, SegmentHeader.born(segment), SegmentHeader.lastKnown(segment, other));
    }

    /** Whether the request is meant for this rank, by one of this world. */
    boolean isOfThisWorld(Request request) {
        return request.layoutVersion() == SegmentHeader.LAYOUT_VERSION && request.worldId() == world.id()
                && request.target() == rank && request.rank() >= 0 && request.rank() < world.size();
    }
}
