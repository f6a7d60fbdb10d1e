package io.atoll.failure;

/** The rank has not joined, has left, or has died. What it holds can be used again when it is back. */
public final class RankUnreachableException extends FabricException {

    private static final long serialVersionUID = 1L;

    public RankUnreachableException(String reason, String verb, int rank, long offset) {
        super(reason, verb, rank, offset);
    }
}
