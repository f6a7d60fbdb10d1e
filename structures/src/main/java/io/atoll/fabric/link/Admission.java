package io.atoll.fabric.link;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranks the owner of a segment lets in. Letting an incarnation in shuts out all earlier ones for good. So
 * the owner does not rely on the incarnation that a request claims. It lets in only an incarnation that it has met
 * itself: by its membership, or by asking the rank. A rank that comes earlier is refused for the moment, and comes
 * again.
 *
 * @param segment records which incarnations were met and which were shut out
 */
record Admission(WorldIdentity world, int rank, int incarnation, LocalMemory segment) {

    /** Returns the reason to refuse the request, or null. */
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
            return Refusal.STRANGER; // otherwise one rank could have any number of connections
        }
        if (request.incarnation() <= segment.getAcquire(SegmentHeader.fencedWord(request.rank()))) {
            return Refusal.FENCED;
        }
        int met = request.rank() == rank ? incarnation : SegmentHeader.remembered(segment, request.rank());
        return request.incarnation() > met ? Refusal.NOT_MET : null;
    }

    /**
     * Returns true if the requester expects a segment that this rank has lost. Its offsets mean something else in the
     * present one. The incarnation alone does not tell: a rank without memory counts anew until others tell it its
     * former lives.
     */
    private boolean isOtherSegment(Request request) {
        return request.targetBorn() != Greeting.ANY_SEGMENT && request.targetBorn() != SegmentHeader.born(segment);
    }

    /** Returns what this rank tells another rank that it refuses. */
    Told told(int other) {
        return new Told(incarnation, SegmentHeader.born(segment), SegmentHeader.lastKnown(segment, other));
    }

    /** Returns true if the request is meant for this rank, and comes from a rank of this world. */
    boolean isOfThisWorld(Request request) {
        return request.layoutVersion() == SegmentHeader.LAYOUT_VERSION && request.worldId() == world.id()
                && request.target() == rank && request.rank() >= 0 && request.rank() < world.size();
    }
}
