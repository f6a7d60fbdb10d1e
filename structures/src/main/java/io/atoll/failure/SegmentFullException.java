package io.atoll.failure;

/**
 * A segment has no room for the requested bytes, and nothing in it can be freed now. Nothing was allocated. A larger
 * segment is the remedy. If many bytes wait to be freed, it also helps if the pinned thread goes on.
 */
public final class SegmentFullException extends FabricException {

    private static final long serialVersionUID = 1L;

    private final long askedBytes;
    private final long freeBytes;
    private final long limboBytes;
    private final String waitingFor;

    public SegmentFullException(int rank, long askedBytes, long freeBytes) {
        this(rank, askedBytes, freeBytes, 0, "");
    }

    /**
     * @param limboBytes that were retired in the segment and wait to be freed
     * @param waitingFor what keeps them from being freed, as text for the message; empty if it is not known
     */
    public SegmentFullException(int rank, long askedBytes, long freeBytes, long limboBytes, String waitingFor) {
        super(limboBytes == 0
                ? "the segment is full, make it larger"
                : "the segment is full of what waits to be freed, end the pin or make it larger",
                facts(askedBytes, freeBytes, limboBytes, waitingFor), "allocate", rank, WHOLE_SEGMENT);
        this.askedBytes = askedBytes;
        this.freeBytes = freeBytes;
        this.limboBytes = limboBytes;
        this.waitingFor = waitingFor;
    }

    private static String facts(long askedBytes, long freeBytes, long limboBytes, String waitingFor) {
        return "askedBytes=" + askedBytes + " freeBytes=" + freeBytes
                + (limboBytes == 0 ? "" : " limboBytes=" + limboBytes)
                + (waitingFor.isEmpty() ? "" : " " + waitingFor);
    }

    /** Returns the same failure for a caller that asks later and is refused at once. */
    public SegmentFullException again() {
        var again = new SegmentFullException(rank(), askedBytes, freeBytes, limboBytes, waitingFor);
        again.initCause(this);
        again.inThatOf(this);
        return again;
    }

    public long askedBytes() {
        return askedBytes;
    }

    /** Returns the bytes that were retired in the segment and wait to be freed, as far as this process knows. */
    public long limboBytes() {
        return limboBytes;
    }

    public long freeBytes() {
        return freeBytes;
    }
}
