package io.atoll.app.node;

/**
 * Names the rank that prints a line, where several ranks share a terminal. The name is known before there is a Spring
 * environment. That environment finds it, too, since the pattern of log lines contains it.
 */
final class RankPrefix {

    private static final String PROPERTY = "node.speaker";

    private RankPrefix() {}

    /** The Java option by which another process learns its name. */
    static String option(int rank) {
        return "-D" + PROPERTY + "=" + name(rank);
    }

    static void beRank(int rank) {
        System.setProperty(PROPERTY, name(rank));
    }

    private static String name(int rank) {
        return "rank " + rank + ": ";
    }

    /** Returns the beginning of a line. It is empty if only one rank prints. */
    static String name() {
        return System.getProperty(PROPERTY, "");
    }
}
