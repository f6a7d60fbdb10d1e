package io.atoll.failure;

/**
 * A segment has no room for the requested bytes, and nothing in it can be freed now. Nothing was allocated. A larger
 * segment is the remedy. If many bytes wait to be freed, it also helps if the pinned thread goes on. If enough is free,
 * but in pieces, a smaller request helps. So does opening large structures before small ones lie between the pieces.
 */
public final class SegmentFullException extends FabricException {

    private static final long serialVersionUID = 1L;

    private final long askedBytes;
    private final long freeBytes;
    private final long largestFreeBytes;
    private final long limboBytes;
    private final String waitingFor;

    /** The failure where what is free is one piece. */
    public SegmentFullException(int rank, long askedBytes, long freeBytes) {
        this(rank, askedBytes, freeBytes, freeBytes, 0);
    }

    /**
     * @param largestFreeBytes of the largest piece that is free
     * @param limboBytes that were retired in the segment and wait to be freed
     */
    public SegmentFullException(int rank, long askedBytes, long freeBytes, long largestFreeBytes, long limboBytes) {
        this(rank, askedBytes, freeBytes, largestFreeBytes, limboBytes, "");
    }

    private SegmentFullException(int rank, long askedBytes, long freeBytes, long largestFreeBytes, long limboBytes,
            String waitingFor) {
        this(reason(askedBytes, freeBytes, largestFreeBytes, limboBytes), rank, askedBytes, freeBytes,
                largestFreeBytes, limboBytes, waitingFor);
    }

    private SegmentFullException(String reason, int rank, long askedBytes, long freeBytes, long largestFreeBytes,
            long limboBytes, String waitingFor) {
        super(reason,
                facts(askedBytes, freeBytes, largestFreeBytes, limboBytes, waitingFor), "allocate", rank,
                WHOLE_SEGMENT);
        this.askedBytes = askedBytes;
        this.freeBytes = freeBytes;
        this.largestFreeBytes = largestFreeBytes;
        this.limboBytes = limboBytes;
        this.waitingFor = waitingFor;
    }

    private static String reason(long askedBytes, long freeBytes, long largestFreeBytes, long limboBytes) {
        boolean helpsIfFreed = limboBytes > 0 && askedBytes <= freeBytes + limboBytes;
        if (largestFreeBytes < askedBytes && askedBytes <= freeBytes) {
            return helpsIfFreed
                    ? "the free pieces of the segment are too small, end the pin, ask for less or make it larger"
                    : "the free pieces of the segment are too small, ask for less or make it larger";
        }
        return helpsIfFreed
                ? "the segment is full of what waits to be freed, end the pin or make it larger"
                : "the segment is full, make it larger";
    }

    private static String facts(long askedBytes, long freeBytes, long largestFreeBytes, long limboBytes,
            String waitingFor) {
        return "askedBytes=" + askedBytes + " freeBytes=" + freeBytes
                + (largestFreeBytes == freeBytes ? "" : " largestFreeBytes=" + largestFreeBytes)
                + (limboBytes == 0 ? "" : " limboBytes=" + limboBytes)
                + (waitingFor.isEmpty() ? "" : " " + waitingFor);
    }

    /**
     * Returns the same failure, which also says what waits.
     *
     * @param limboInAll the bytes that were retired in the segment and wait to be freed
     * @param reasonToWait what keeps them from being freed, as text for the message; empty if it is not known
     */
    public SegmentFullException explained(long limboInAll, String reasonToWait) {
        return new SegmentFullException(rank(), askedBytes, freeBytes, largestFreeBytes, limboInAll, reasonToWait);
    }

    /** Returns the same failure, where a segment with nothing in it has no room either. */
    public SegmentFullException evenIfEmpty() {
        return new SegmentFullException(
                "the segment is too small even if it is empty,"
                        + " make it larger or ask for less, such as a lower capacity",
                rank(), askedBytes, freeBytes, largestFreeBytes, limboBytes, waitingFor);
    }

    /** Returns the same failure for a caller that asks later and is refused at once. */
    public SegmentFullException again() {
        SegmentFullException again = explained(limboBytes, waitingFor);
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

    /**
     * Returns the bytes of the largest piece that was free: the largest {@link #askedBytes()} that would have found
     * room.
     */
    public long largestFreeBytes() {
        return largestFreeBytes;
    }
}
