package io.atoll.map;

import io.atoll.failure.SegmentFullException;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that a rank had no room for a next block. An attempt looks at all of the rank's heap. So no thread tries
 * again before there may be room. Any thread may use it.
 */
final class LackOfRoom {

    private @Nullable SegmentFullException failure;
    private long buckets; // for which there was no room
    private long roomMade; // before the attempt that failed
    private final FailedAttempts attempts = new FailedAttempts();

    /**
     * Returns true if the caller is not to try, as it can do without a next block. This skips twice as many attempts
     * after each failure.
     */
    synchronized boolean skips() {
        return attempts.skips();
    }

    /**
     * Returns the last failure, if a block of this size needs as much room, and no process has told of new room since.
     * Returns null if there was no failure. It also returns null now and then, because room may have been made without
     * notice.
     */
    synchronized @Nullable SegmentFullException lasting(long roomMadeNow, long bucketsNow) {
        return failure != null && roomMade == roomMadeNow && buckets <= bucketsNow && attempts.skipsMost()
                ? failure
                : null;
    }

    synchronized void failed(long roomMadeBefore, long bucketsAskedFor, SegmentFullException full) {
        failure = full;
        buckets = bucketsAskedFor;
        roomMade = roomMadeBefore;
        attempts.failed();
    }

    synchronized void ended() {
        failure = null;
        attempts.ended();
    }
}
