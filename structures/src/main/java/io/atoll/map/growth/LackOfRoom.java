package io.atoll.map.growth;

import io.atoll.failure.SegmentFullException;
import org.jspecify.annotations.Nullable;

/**
 * That a rank had no room for a next block: to find that out takes a look at all of its heap, so it is not tried again before that may succeed. Any thread may use it.
 */
final class LackOfRoom {

    /** So many who ask are refused without an attempt, at most: room may have been made without a word. */
    private static final int MOST_SKIPPED = 64;

    private @Nullable SegmentFullException failure;
    private long buckets; // for which there was no room
    private long roomMade; // before the attempt that failed
    private int failures; // one after the other
    private int skipped; // since the last of them

    /** Whether one who can do without a next block is to leave it alone: twice as often after each failure. */
    synchronized boolean skips() {
        return failure != null && ++skipped < Math.min(MOST_SKIPPED, 1 << Math.min(failures, Integer.SIZE - 2));
    }

    /**
     * Returns the last failure if it holds for a block of so many buckets, too, as long as nobody says that room was made since. Returns null now and then, and
     * if there was none.
     */
    synchronized @Nullable SegmentFullException lasting(long roomMadeNow, long bucketsNow) {
        return failure != null && roomMade == roomMadeNow && buckets <= bucketsNow && ++skipped < MOST_SKIPPED
                ? failure
                : null;
    }

    synchronized void failed(long roomMadeBefore, long bucketsAskedFor, SegmentFullException full) {
        failure = full;
        buckets = bucketsAskedFor;
        roomMade = roomMadeBefore;
        failures++;
        skipped = 0;
    }

    synchronized void ended() {
        failure = null;
        failures = 0;
    }
}
