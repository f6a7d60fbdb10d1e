package io.atoll.app.node;

/** Which rank a line in the terminal is of, where several share one. Known before there is a Spring environment, which finds it, too: the pattern of log lines names it. */
final class Speaker {

    private static final String PROPERTY = "node.speaker";

    private Speaker() {}

    /** The option of Java by which another process knows. */
    static String option(int rank) {
        return "-D" + PROPERTY + "=" + name(rank);
    }

    static void beRank(int rank) {
        System.setProperty(PROPERTY, name(rank));
    }

    private static String name(int rank) {
        return "rank " + rank + ": ";
    }

    /** What a line begins with: nothing where only one rank speaks. */
    static String name() {
        return System.getProperty(PROPERTY, "");
    }
}
