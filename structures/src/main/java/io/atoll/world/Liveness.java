package io.atoll.world;

import io.atoll.fabric.LateVerbs;
import java.util.Optional;

/** What a rank may rely on when it repairs what another has left behind. */
public interface Liveness {

    /** Stands for every incarnation that a rank has had so far. Larger than any incarnation. */
    int EVERY_INCARNATION = Integer.MAX_VALUE;

    /**
     * Returns true if that incarnation of the rank has certainly ended <em>and</em> none of its writes can still arrive
     * there. Only then may a caller repair what it had reserved there.
     *
     * <p>{@link #EVERY_INCARNATION} asks about all processes that have been the rank up to now; a later one may come.
     * It is for a rank whose own segment, which would tell its incarnation, cannot be read. A rank that has ended has
     * no segment, and the living ranks know the answer.
     *
     * @param segment the rank whose segment is to be repaired; no write reaches the segment of a rank that has ended
     * @throws io.atoll.failure.RankUnreachableException if the segment's owner must be asked, cannot be reached, and
     * has not ended
     */
    boolean isFenced(int rank, int incarnation, int segment);

    /**
     * Returns what counts the changes of this process that may still arrive although they have failed. Empty where a
     * change that has failed never arrives.
     */
    default Optional<LateVerbs> lateVerbs() {
        return Optional.empty();
    }

    /** Which segments of a rank there are beside one that this process reaches. */
    enum LaterSegment {
        /** None: that segment is the rank's last one. */
        NONE,
        /** The rank has another one now. */
        IN_USE,
        /** The rank has had another one, and has ended. */
        LEFT_BEHIND
    }

    /**
     * Returns which later segment the rank has had than the one that was made in that incarnation. A process that maps
     * the earlier one can still read it. Where a segment is not mapped, its owner refuses processes that mean another
     * one.
     */
    default LaterSegment laterSegment(int rank, int born) {
        return LaterSegment.NONE;
    }
}
