package io.atoll.map;

/** How often an attempt has failed, and is not made again. Its user guards it. */
final class FailedAttempts {

    private static final int MOST_SKIPPED = 64;

    private int failures; // one after the other
    private int skipped; // since the last of them

    /** Whether the next attempt is not to be made: twice as often after each failure, never before the first. */
    boolean skips() {
        return failures > 0 && ++skipped < Math.min(MOST_SKIPPED, 1 << Math.min(failures, Integer.SIZE - 2));
    }

    /** Whether the next attempt is not to be made, if most are not. */
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
