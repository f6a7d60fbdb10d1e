package io.atoll.promise;

/** A caller has promised that something does not happen between two barriers, and it did. Nothing was done. */
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

    /** This operation, and where it was called. */
    public String here() {
        return here;
    }

    /** The other one, and where it was called at its rank. */
    public String there() {
        return there;
    }

    /** The rank that has called the other one. */
    public int rank() {
        return rank;
    }

    /** Where both are, by their lines: whoever writes that down has little room. */
    String lines() {
        return line(here) + " and " + line(there);
    }

    /** Of "USE_OF_IT at package.Class.method(Class.java:31)" the line; all of what does not look so. */
    private static String line(String use) {
        return use.substring(use.lastIndexOf('(') + 1).replace(")", "");
    }
}
