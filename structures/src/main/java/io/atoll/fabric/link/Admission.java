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
    @Nullable Refusal refusal(@Nullable ConnectRequest connectRequest) {
        if (connectRequest == null) {
            return Refusal.STRANGER;
        }
        if (connectRequest.layoutVersion() != SegmentHeader.LAYOUT_VERSION) {
            return Refusal.OTHER_LAYOUT;
        }
        if (connectRequest.worldId() != world.id()) {
            return Refusal.OTHER_WORLD;
        }
        if (connectRequest.target() != rank) {
            return Refusal.OTHER_RANK;
        }
        if (connectRequest.targetIncarnation() != incarnation || isOtherSegment(connectRequest)) {
            return Refusal.OTHER_INCARNATION;
        }
        if (connectRequest.rank() < 0 || connectRequest.rank() >= world.size() || connectRequest.incarnation() < 1) {
            return Refusal.STRANGER;
        }
        if (connectRequest.lane() < 0 || connectRequest.lane() >= PeerConnections.MOST_LANES) {
            return Refusal.STRANGER; // otherwise one rank could have any number of connections
        }
        if (connectRequest.incarnation() <= segment.getAcquire(SegmentHeader.fencedWord(connectRequest.rank()))) {
            return Refusal.FENCED;
        }
        int met = connectRequest.rank() == rank
                ? incarnation
                : SegmentHeader.remembered(segment, connectRequest.rank());
        return connectRequest.incarnation() > met ? Refusal.NOT_MET : null;
    }

    /**
     * Returns true if the requester expects a segment that this rank has lost. Its offsets mean something else in the
     * present one. The incarnation alone does not tell: a rank without memory counts anew until others tell it its
     * former lives.
     */
    private boolean isOtherSegment(ConnectRequest connectRequest) {
        return connectRequest.targetBorn() != Handshake.ANY_SEGMENT
                && connectRequest.targetBorn() != SegmentHeader.born(segment);
    }

    /** Returns what this rank tells another rank that it refuses. */
    RefusalDetails told(int other) {
        return new RefusalDetails(incarnation, SegmentHeader.born(segment), SegmentHeader.lastKnown(segment, other));
    }

    /** Returns true if the request is meant for this rank, and comes from a rank of this world. */
    boolean isOfThisWorld(ConnectRequest connectRequest) {
        return connectRequest.layoutVersion() == SegmentHeader.LAYOUT_VERSION && connectRequest.worldId() == world.id()
                && connectRequest.target() == rank && connectRequest.rank() >= 0
                && connectRequest.rank() < world.size();
    }
}
