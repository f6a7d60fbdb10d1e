package io.atoll.fabric.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Limits how many events happen per second. After a second without any, that many may happen at once. For one thread.
 */
final class RateLimiter {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long intervalNanos;
    private long dueNanos; // when all events so far should have happened, at an even pace
    private boolean begun;

    RateLimiter(int perSecond) {
        this.intervalNanos = SECOND_NANOS / perSecond;
    }

    /** Returns how long to wait before the next event, or 0. */
    long waitNanos(long nowNanos) {
        return begun ? Math.max(0, dueNanos - nowNanos) : 0;
    }

    /** Notes that an event has happened. */
    void note(long nowNanos) {
        long earliestNanos = nowNanos - SECOND_NANOS;
        boolean isBehind = !begun || dueNanos - earliestNanos < 0;
        dueNanos = (isBehind ? earliestNanos : dueNanos) + intervalNanos;
        begun = true;
    }
}
