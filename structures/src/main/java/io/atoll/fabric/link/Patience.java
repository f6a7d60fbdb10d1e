package io.atoll.fabric.link;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How long an operation waits that has to connect first: so long for all that it connects together, and not at all for
 * what nobody wants any more.
 *
 * @param timeout all the time that there was
 * @param isWanted whether somebody does
 */
public record Patience(Clock clock, Duration timeout, long deadlineNanos, BooleanSupplier isWanted) {

    /** How often a waiter is to look whether its wait is over. */
    public static final int LOOK_MILLIS = 100;

    /** Returns one that begins now. */
    public static Patience of(Clock clock, Duration timeout) {
        return new Patience(clock, timeout, clock.nanoTime() + timeout.toNanos(), () -> true);
    }

    /** Returns the same, which ends before when that is no more so. Another thread may end it at any time. */
    Patience asLongAs(BooleanSupplier wanted) {
        return new Patience(clock, timeout, deadlineNanos, wanted);
    }

    /** Returns how much time is left; 0 when it is over. */
    public long leftNanos() {
        return isWanted.getAsBoolean() ? Math.max(0, deadlineNanos - clock.nanoTime()) : 0;
    }
}
