package io.atoll.failure;

/** An access to a segment failed. Carries what was accessed: the verb, the rank and the offset in bytes. */
public abstract sealed class FabricException extends AtollException
        permits RankUnreachableException, FabricTimeoutException, SegmentFullException, LayoutMismatchException,
        SegmentFileException, FencedException {

    private static final long serialVersionUID = 1L;

    /** The offset of a failure that concerns a segment as a whole. */
    public static final long WHOLE_SEGMENT = -1;

    private final String verb;
    private final int rank;
    private final long offset;

    FabricException(String message, String verb, int rank, long offset) {
        super(message + ": verb=" + verb + " rank=" + rank + (offset == WHOLE_SEGMENT ? "" : " offset=" + offset));
        this.verb = verb;
        this.rank = rank;
        this.offset = offset;
    }

    /** Of a segment as a whole. */
    FabricException(String message, String verb, int rank, Throwable cause) {
        super(message + ": verb=" + verb + " rank=" + rank, cause);
        this.verb = verb;
        this.rank = rank;
        this.offset = WHOLE_SEGMENT;
    }

    public String verb() {
        return verb;
    }

    public int rank() {
        return rank;
    }

    /** In bytes, or {@link #WHOLE_SEGMENT}. */
    public long offset() {
        return offset;
    }
}
