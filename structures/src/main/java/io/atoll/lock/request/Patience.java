package io.atoll.lock.request;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import java.time.Duration;

/** How long somebody waits for a lock: until a time is over, or until it is interrupted. Asks the clock only if there is such a time: that costs more than an uncontended lock. */
public final class Patience {

    private final Clock clock;
    private final long nanos; // 0: it does not wait; UNBOUNDED: as long as it takes
    private final long deadlineNanos;
    private final boolean interruptible;

    private static final long UNBOUNDED = Backoff.UNBOUNDED.toNanos();

    private Patience(Clock clock, long nanos, boolean interruptible) {
        this.clock = clock;
        this.nanos = nanos;
        this.deadlineNanos = isBounded() ? clock.nanoTime() + nanos : 0;
        this.interruptible = interruptible;
    }

    private boolean isBounded() {
        return nanos > 0 && nanos < UNBOUNDED;
    }

    /** @param timeout not at all if zero */
    public static Patience of(Clock clock, Duration timeout) {
        long nanos = timeout.compareTo(Backoff.UNBOUNDED) >= 0 ? UNBOUNDED : Math.max(0, timeout.toNanos());
        return new Patience(clock, nanos, true);
    }

    /** As long as it takes. */
    public static Patience unbounded(Clock clock) {
        return new Patience(clock, UNBOUNDED, true);
    }

    /** As long as it takes, also if the thread is interrupted. */
    public static Patience uninterruptible(Clock clock) {
        return new Patience(clock, UNBOUNDED, false);
    }

    public boolean isOver() {
        return nanos == 0 || isBounded() && clock.nanoTime() - deadlineNanos >= 0
                || interruptible && Thread.currentThread().isInterrupted();
    }
}
