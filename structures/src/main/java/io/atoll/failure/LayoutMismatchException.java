package io.atoll.failure;

/**
 * A segment is not what this process can use: another layout version, another world, another rank, or not a segment.
 */
public final class LayoutMismatchException extends FabricException {

    /** What does not fit. */
    public enum Mismatch {
        /** The rank's process answers, and runs another version of Atoll. */
        VERSION_OF_PROCESS,
        /** The rank's process answers, and is of another world. */
        WORLD_OF_PROCESS,
        /** The file of the segment was made by another version of Atoll. */
        VERSION_OF_FILE,
        /** The memory itself: another world's, another rank's, of another size, or no segment. */
        SEGMENT
    }

    private static final long serialVersionUID = 1L;

    private final Mismatch mismatch;

    public LayoutMismatchException(String reason, int rank) {
        this(reason, "", rank);
    }

    /**
     * @param reason a sentence without facts, which says what to do
     * @param facts as {@code key=value}
     */
    public LayoutMismatchException(String reason, String facts, int rank) {
        this(reason, facts, rank, Mismatch.SEGMENT);
    }

    /** As above, for what does not fit. */
    public LayoutMismatchException(String reason, String facts, int rank, Mismatch mismatch) {
        super(reason, facts, "attach", rank, WHOLE_SEGMENT);
        this.mismatch = mismatch;
    }

    public Mismatch mismatch() {
        return mismatch;
    }

    /**
     * Returns the failure for a segment that was lost and made anew. This process knows offsets of the lost segment,
     * where something else lies now.
     */
    public static LayoutMismatchException ofSegmentMadeAnew(int rank) {
        return new LayoutMismatchException(
                "the rank's segment was lost and made anew, start this process again to use it", rank);
    }
}
