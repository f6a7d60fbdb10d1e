package io.atoll.lock.protocol;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import java.time.Duration;

/** How long somebody waits for a lock: until a time is over, or until it is interrupted. */
public final class Patience {

    private final Clock clock;
    private final long deadlineNanos;
    private final boolean interruptible;

    private Patience(Clock clock, Duration timeout, boolean interruptible) {
        this.clock = clock;
        this.deadlineNanos = clock.nanoTime() + timeout.toNanos();
        this.interruptible = interruptible;
    }

    /** @param timeout not at all if zero */
    public static Patience of(Clock clock, Duration timeout) {
        return new Patience(clock, timeout.compareTo(Backoff.UNBOUNDED) > 0 ? Backoff.UNBOUNDED : timeout, true);
    }

    /** As long as it takes. */
    public static Patience unbounded(Clock clock) {
        return new Patience(clock, Backoff.UNBOUNDED, true);
    }

    /** As long as it takes, also if the thread is interrupted. */
    public static Patience uninterruptible(Clock clock) {
        return new Patience(clock, Backoff.UNBOUNDED, false);
    }

    boolean isOver() {
        return clock.nanoTime() - deadlineNanos >= 0 || interruptible && Thread.currentThread().isInterrupted();
    }
}
