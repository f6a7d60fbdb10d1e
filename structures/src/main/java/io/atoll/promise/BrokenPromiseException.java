package io.atoll.promise;

/** A caller has promised that something does not happen between two barriers, and it did. Nothing was done. */
public final class BrokenPromiseException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String here;
    private final String there;

    BrokenPromiseException(String structure, String here, int rank, String there) {
        super("these two may not come between the same two barriers: structure=" + structure + " here=[" + here
                + "] there=[" + there + "] rank=" + rank);
        this.here = here;
        this.there = there;
    }

    /** This operation, and where it was called. */
    public String here() {
        return here;
    }

    /** The other one, and where it was called at its rank. */
    public String there() {
        return there;
    }
}
