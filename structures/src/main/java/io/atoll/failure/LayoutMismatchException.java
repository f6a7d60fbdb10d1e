package io.atoll.failure;

/** A segment is not what this process can use: another layout version, another world, another rank, or not a segment. */
public final class LayoutMismatchException extends FabricException {

    private static final long serialVersionUID = 1L;

    public LayoutMismatchException(String reason, int rank) {
        super(reason, "attach", rank, WHOLE_SEGMENT);
    }
}
