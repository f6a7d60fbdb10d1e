package io.atoll.background;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A clock that stands still while its process does: for those who wait for others to speak. What was said while this process was
 * stopped, suspended or starved is heard only afterwards, so nobody may be called silent for that time. The clock notices a pause by
 * the gap between two readings, so it must be read often: a gap longer than {@link #LONGEST_GAP} counts as that.
 *
 * <p>Any thread may read it.
 */
public final class RunningTime {

    /** Some times longer than readers leave between two readings, much shorter than anybody has to answer. */
    public static final Duration LONGEST_GAP = Duration.ofMillis(500);

    private final LongSupplier clock;
    private long lastNanos; // of the clock, when it was read last; guarded by this
    private long passedNanos; // guarded by this

    public RunningTime() {
        this(System::nanoTime);
    }

    /** @param clock nanoseconds from any origin, as those of {@link System#nanoTime} */
    public RunningTime(LongSupplier clock) {
        this.clock = clock;
        this.lastNanos = clock.getAsLong();
    }

    /** Returns the time for which this process has run since the clock was made. */
    public synchronized long nanos() {
        long now = clock.getAsLong();
        passedNanos += Math.clamp(now - lastNanos, 0, LONGEST_GAP.toNanos());
        lastNanos = now;
        return passedNanos;
    }
}
