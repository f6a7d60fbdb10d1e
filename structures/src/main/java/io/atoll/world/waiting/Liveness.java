package io.atoll.world.waiting;

/** What a rank may rely on when it repairs what another has left behind. */
public interface Liveness {

    /**
     * Whether that incarnation of the rank has ended for certain <em>and</em> none of its writes can reach the segment any more. Only
     * then may what it had reserved there be repaired.
     *
     * @param segment the rank whose segment is to be repaired
     */
    boolean isFenced(int rank, int incarnation, int segment);
}
