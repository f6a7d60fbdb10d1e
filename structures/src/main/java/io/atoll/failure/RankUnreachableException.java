package io.atoll.failure;

/** The rank has not joined, has left, or has died. What it holds can be used again when it is back. */
public final class RankUnreachableException extends FabricException {

    private static final long serialVersionUID = 1L;

    /** @param reason a sentence without facts, which says what to do */
    public RankUnreachableException(String reason, String verb, int rank, long offset) {
        this(reason, "", verb, rank, offset);
    }

    /**
     * @param reason a sentence without facts, which says what to do
     * @param facts as {@code key=value}
     */
    public RankUnreachableException(String reason, String facts, String verb, int rank, long offset) {
        super(reason, facts, verb, rank, offset);
    }

    /** Returns what another access to the rank is told for the same reason. */
    public RankUnreachableException alsoFor(String otherVerb, long otherOffset) {
        RankUnreachableException also = new RankUnreachableException(reason(), facts(), otherVerb, rank(), otherOffset);
        also.initCause(this);
        return also;
    }
}
