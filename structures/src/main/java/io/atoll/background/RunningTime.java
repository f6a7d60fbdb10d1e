package io.atoll.background;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A clock that stands still while its process does, for threads that wait to hear from others. While this process was
 * stopped, suspended or starved, it could hear nothing: messages of that time arrive only afterwards. So no other
 * process may be called silent for that time. The clock notices a pause by the gap between two readings, so it must be
 * read often. A gap longer than {@link #LONGEST_GAP} counts as that length.
 *
 * <p>Any thread may read it.
 */
public final class RunningTime {

    /**
     * Several times longer than readers leave between two readings, and much shorter than any process has to answer.
     */
    public static final Duration LONGEST_GAP = Duration.ofMillis(500);

    private final LongSupplier clock;
    private long lastNanos; // the clock at its last reading; guarded by this
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
