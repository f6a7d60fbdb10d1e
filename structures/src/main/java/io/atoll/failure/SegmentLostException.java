package io.atoll.failure;

/**
 * The access was to memory that its rank has lost: the rank has been started again without its segment. The contents
 * are gone. The rank is there with another segment, in which something else lies at that offset. So the operation
 * fails, and so does each later one that needs the lost contents.
 */
public final class SegmentLostException extends RankUnreachableException {

    private static final long serialVersionUID = 1L;

    private final int born;

    /**
     * @param born the incarnation of the rank in which its present segment was made: since then the former one is known
     * to be lost
     */
    public SegmentLostException(int born, String verb, int rank, long offset) {
        super("what lay in this rank's segment was lost with it, since the rank came back without its memory: use a"
                + " structure of another name, or one that is opened with on-loss=empty",
                "lostSinceIncarnation="
                        + born,
                verb, rank, offset);
        this.born = born;
    }

    /** Returns the incarnation in which the rank came back without its former memory. */
    public int born() {
        return born;
    }
}
