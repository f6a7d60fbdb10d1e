package io.atoll.fabric.link;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The time that an operation waits if it has to connect first. The time bounds all that it connects together. It ends
 * at once if the connection is no longer wanted.
 *
 * @param timeout the whole time at the beginning
 * @param isWanted returns true while the connection is wanted
 */
public record ConnectDeadline(Clock clock, Duration timeout, long deadlineNanos, BooleanSupplier isWanted) {

    /** How often a waiter checks whether its wait is over. */
    public static final int LOOK_MILLIS = 100;

    /** Returns a deadline whose time begins now. */
    public static ConnectDeadline of(Clock clock, Duration timeout) {
        return new ConnectDeadline(clock, timeout, clock.nanoTime() + timeout.toNanos(), () -> true);
    }

    /**
     * Returns the same deadline, which also ends when {@code wanted} becomes false. Another thread may end it at any
     * time.
     */
    ConnectDeadline asLongAs(BooleanSupplier wanted) {
        return new ConnectDeadline(clock, timeout, deadlineNanos, wanted);
    }

    /** Returns how much time is left; 0 when it is over. */
    public long leftNanos() {
        return isWanted.getAsBoolean() ? Math.max(0, deadlineNanos - clock.nanoTime()) : 0;
    }
}
