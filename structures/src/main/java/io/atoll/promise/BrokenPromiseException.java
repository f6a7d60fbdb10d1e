package io.atoll.promise;

/**
 * Thrown if a caller has promised that something does not happen between two barriers, and it did. The operation that
 * throws this has done nothing.
 */
public final class BrokenPromiseException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String here;
    private final String there;
    private final int rank;

    BrokenPromiseException(String structure, String here, int rank, String there) {
        super("these two may not come between the same two barriers: structure=" + structure + " here=[" + here
                + "] there=[" + there + "] rank=" + rank);
        this.here = here;
        this.there = there;
        this.rank = rank;
    }

    /** Returns this operation, and its call site. */
    public String here() {
        return here;
    }

    /** Returns the other operation, and its call site at its rank. */
    public String there() {
        return there;
    }

    /** Returns the rank that has called the other operation. */
    public int rank() {
        return rank;
    }

    /** Returns the lines of both call sites. A log of happenings has little room for more. */
    String lines() {
        return line(here) + " and " + line(there);
    }

    /**
     * Returns the line of "USE_OF_IT at package.Class.method(Class.java:31)". Returns the whole text if it has another
     * form.
     */
    private static String line(String use) {
        return use.substring(use.lastIndexOf('(') + 1).replace(")", "");
    }
}
