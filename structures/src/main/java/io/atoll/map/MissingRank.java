package io.atoll.map;

/**
 * Remembers that a previous block could not be retired, because some rank was not there. Then not every change tries
 * again, and a change that does asks that rank first. Any thread may use it.
 */
final class MissingRank {

    /** No rank was missing. */
    static final int NONE = -1;

    private int rank = NONE;
    private boolean isNeeded;
    private final FailedAttempts attempts = new FailedAttempts();

    /** Returns true if a change is not to try. This skips twice as many attempts after each failure. */
    synchronized boolean skips() {
        return attempts.skips();
    }

    /** Returns the rank that was missing at the last attempt. */
    synchronized int rank() {
        return rank;
    }

    /** Returns true if nothing can be done without the rank, even though it has ended. */
    synchronized boolean isNeeded() {
        return isNeeded;
    }

    /** @param needed true if nothing can be done without the rank, even if it has ended */
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
