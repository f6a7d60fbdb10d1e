package io.atoll.map;

/**
 * That a previous block could not be retired, because some rank was not there: it is not tried again at each change, and that rank is asked first then. Any thread may use it.
 */
final class MissingRank {

    /** No rank was missing. */
    static final int NONE = -1;

    private int rank = NONE;
    private boolean isNeeded;
    private final FailedAttempts attempts = new FailedAttempts();

    /** Whether a change is to leave the previous block alone: twice as often after each failure. */
    synchronized boolean skips() {
        return attempts.skips();
    }

    /** The one that was missing when it was tried last. */
    synchronized int rank() {
        return rank;
    }

    /** Whether nothing can be done without it, though it has ended. */
    synchronized boolean isNeeded() {
        return isNeeded;
    }

    /** @param needed even if it has ended */
    synchronized void failed(int missing, boolean needed) {
        rank = missing;
        isNeeded = needed;
        attempts.failed();
    }

    synchronized void ended() {
        rank = NONE;
        attempts.ended();
    }
}
