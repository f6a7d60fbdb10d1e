package io.atoll.map;

/** Counts how often an attempt has failed, and skips later ones. Its user guards it against other threads. */
final class FailedAttempts {

    private static final int MOST_SKIPPED = 64;

    private int failures; // one after the other
    private int skipped; // attempts skipped since the last failure

    /**
     * Returns true if the next attempt is not to be made. It skips none before the first failure, and twice as many
     * after each failure.
     */
    boolean skips() {
        return failures > 0 && ++skipped < Math.min(MOST_SKIPPED, 1 << Math.min(failures, Integer.SIZE - 2));
    }

    /** Returns true if the next attempt is not to be made, for a caller that skips most attempts. */
    boolean skipsMost() {
        return ++skipped < MOST_SKIPPED;
    }

    void failed() {
        failures++;
        skipped = 0;
    }

    void ended() {
        failures = 0;
    }
}
