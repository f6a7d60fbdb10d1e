package io.atoll.fabric.tcp;

import java.util.concurrent.TimeUnit;

/** Lets so many things happen in a second, and as many at once after a second in which nothing did. For one thread. */
final class Pace {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long intervalNanos;
    private long dueNanos; // when everything so far should have happened, at an even pace
    private boolean begun;

    Pace(int perSecond) {
        this.intervalNanos = SECOND_NANOS / perSecond;
    }

    /** Returns how long to wait before the next; 0 if there is no need to. */
    long waitNanos(long nowNanos) {
        return begun ? Math.max(0, dueNanos - nowNanos) : 0;
    }

    /** Notes that it has happened. */
    void note(long nowNanos) {
        long earliestNanos = nowNanos - SECOND_NANOS;
        boolean isBehind = !begun || dueNanos - earliestNanos < 0;
        dueNanos = (isBehind ? earliestNanos : dueNanos) + intervalNanos;
        begun = true;
    }
}
