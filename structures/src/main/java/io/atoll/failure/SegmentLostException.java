package io.atoll.failure;

/**
 * What was to be accessed lay in memory that its rank has lost: the rank has been started again without its segment.
 * What lay there is gone, and the rank is there with another one, in which something else lies at that offset. So the
 * operation fails, and each one that needs what is gone will.
 */
public final class SegmentLostException extends RankUnreachableException {

    private static final long serialVersionUID = 1L;

    private final int born;

    /** @param born the incarnation of the rank in which its present segment was made: since then the former is known to be lost */
    public SegmentLostException(int born, String verb, int rank, long offset) {
        super("what lay in this rank's segment was lost with it, since the rank came back without its memory: use a"
                + " structure of another name, or one that is opened with on-loss=empty",
                "lostSinceIncarnation="
                        + born,
                verb, rank, offset);
        this.born = born;
    }

    /** The incarnation in which the rank came back without what it had before. */
    public int born() {
        return born;
    }
}
