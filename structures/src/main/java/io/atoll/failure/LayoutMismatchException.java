package io.atoll.failure;

/**
 * A segment is not what this process can use: another layout version, another world, another rank, or not a segment.
 */
public final class LayoutMismatchException extends FabricException {

    private static final long serialVersionUID = 1L;

    public LayoutMismatchException(String reason, int rank) {
        this(reason, "", rank);
    }

    /**
     * @param reason a sentence without facts, which says what to do
     * @param facts as {@code key=value}
     */
    public LayoutMismatchException(String reason, String facts, int rank) {
        super(reason, facts, "attach", rank, WHOLE_SEGMENT);
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
