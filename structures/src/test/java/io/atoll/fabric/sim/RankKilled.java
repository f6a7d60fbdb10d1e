package io.atoll.fabric.sim;

/**
 * Unwinds the threads of a killed rank. It is an error, and never the same object twice, so that no handler of the code
 * under test survives it.
 */
public final class RankKilled extends Error {

    private static final long serialVersionUID = 1L;

    RankKilled(int rank) {
        super("killed: rank=" + rank, null, false, false);
    }
}
