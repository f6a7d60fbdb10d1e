package io.atoll.failure;

/** A bounded wait ended without what it waited for; the rank is the one that should have acted. */
public final class FabricTimeoutException extends FabricException {

    private static final long serialVersionUID = 1L;

    public FabricTimeoutException(String reason, String verb, int rank, long offset) {
        super(reason, verb, rank, offset);
    }
}
