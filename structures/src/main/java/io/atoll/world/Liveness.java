package io.atoll.world;

/** What a rank may rely on when it repairs what another has left behind. */
public interface Liveness {

    /** Stands for every incarnation that a rank has had so far. Larger than any. */
    int EVERY_INCARNATION = Integer.MAX_VALUE;

    /**
     * Whether that incarnation of the rank has ended for certain <em>and</em> none of its writes can reach the segment any more. Only
     * then may what it had reserved there be repaired.
     *
     * <p>{@link #EVERY_INCARNATION} asks about all processes that have been the rank up to now; a later one may come. That is the question where the rank's own segment, which would tell
     * its incarnation, cannot be read: a rank that has ended has no segment, and those who live know the answer.
     *
     * @param segment the rank whose segment is to be repaired; nothing reaches that of a rank that has ended
     * @throws io.atoll.failure.RankUnreachableException when the segment's owner must be asked, cannot be reached, and has not ended
     */
    boolean isFenced(int rank, int incarnation, int segment);

    /** What there is of a rank beside a segment that this process reaches. */
    enum LaterSegment {
        /** Nothing: that segment is its last one. */
        NONE,
        /** The rank has another one now. */
        IN_USE,
        /** The rank has had another one, and has ended. */
        LEFT_BEHIND
    }

    /**
     * Returns whether the rank has had a later segment than the one that was made in that incarnation. A process that maps
     * the earlier one can read it still. Where a segment is not mapped, its owner refuses whoever means another.
     */
    default LaterSegment laterSegment(int rank, int born) {
        return LaterSegment.NONE;
    }
}
