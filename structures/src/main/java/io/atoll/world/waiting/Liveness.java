package io.atoll.world.waiting;

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

    /**
     * Whether the rank is there with a later segment than the one that was made in that incarnation, though this process may still reach that one. Where it is not mapped, its owner tells whoever asks
     * for it, and nobody has to ask this.
     */
    default boolean hasLaterSegment(int rank, int born) {
        return false;
    }
}
