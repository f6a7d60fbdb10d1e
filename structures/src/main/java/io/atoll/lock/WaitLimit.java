package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import java.time.Duration;

/**
 * The time that a thread waits for a lock: until a limit is over, or until the thread is interrupted. It asks the clock
 * only if there is a limit, since that costs more than an uncontended lock.
 */
final class WaitLimit {

    private static final long UNBOUNDED_NANOS = Backoff.UNBOUNDED.toNanos();

    /** The thread only tries: it waits for no holder. */
    public static final WaitLimit NONE = new WaitLimit(Clock.SYSTEM, 0, true);

    /** The thread waits as long as it takes, or until it is interrupted. */
    public static final WaitLimit UNBOUNDED = new WaitLimit(Clock.SYSTEM, UNBOUNDED_NANOS, true);

    /** The thread waits as long as it takes, also if it is interrupted. */
    public static final WaitLimit UNINTERRUPTIBLE = new WaitLimit(Clock.SYSTEM, UNBOUNDED_NANOS, false);

    private final Clock clock; // asked only if the time is bounded
    private final long nanos;
    private final long deadlineNanos;
    private final boolean interruptible;

    private WaitLimit(Clock clock, long nanos, boolean interruptible) {
        this.clock = clock;
        this.nanos = nanos;
        this.deadlineNanos = isBounded() ? clock.nanoTime() + nanos : 0;
        this.interruptible = interruptible;
    }

    private boolean isBounded() {
        return nanos > 0 && nanos < UNBOUNDED_NANOS;
    }

    /** @param timeout the longest wait; zero for none */
    public static WaitLimit of(Clock clock, Duration timeout) {
        long nanos = timeout.compareTo(Backoff.UNBOUNDED) >= 0 ? UNBOUNDED_NANOS : Math.max(0, timeout.toNanos());
        return new WaitLimit(clock, nanos, true);
    }

    /** Returns true if the thread only tries: it waits for no holder. */
    public boolean isNone() {
        return nanos == 0;
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** Returns how long the thread may still wait; zero or less if its time is over or it is interrupted. */
    public long remainingNanos() {
        if (nanos == 0 || interruptible && Thread.currentThread().isInterrupted()) {
            return 0;
        }
        return isBounded() ? deadlineNanos - clock.nanoTime() : UNBOUNDED_NANOS;
    }
}
