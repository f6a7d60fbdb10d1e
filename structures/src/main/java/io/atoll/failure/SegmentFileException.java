package io.atoll.failure;

/** The file in which a rank's segment lies cannot be looked at, mapped or removed. */
public final class SegmentFileException extends FabricException {

    private static final long serialVersionUID = 1L;

    public SegmentFileException(String reason, String verb, int rank, Throwable cause) {
        super(reason, "cause=[" + cause + "]", verb, rank, WHOLE_SEGMENT);
        initCause(cause);
    }
}
