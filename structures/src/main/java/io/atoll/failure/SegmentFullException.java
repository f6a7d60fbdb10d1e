package io.atoll.failure;

/** A segment has no room for what was asked. Nothing was allocated; a larger segment size is the remedy. */
public final class SegmentFullException extends FabricException {

    private static final long serialVersionUID = 1L;

    private final long askedBytes;
    private final long freeBytes;

    public SegmentFullException(int rank, long askedBytes, long freeBytes) {
        super("the segment is full, make it larger: askedBytes=" + askedBytes + " freeBytes=" + freeBytes, "allocate",
                rank, WHOLE_SEGMENT);
        this.askedBytes = askedBytes;
        this.freeBytes = freeBytes;
    }

    public long askedBytes() {
        return askedBytes;
    }

    public long freeBytes() {
        return freeBytes;
    }
}
