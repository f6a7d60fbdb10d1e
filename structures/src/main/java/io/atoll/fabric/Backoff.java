package io.atoll.fabric;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A bounded wait for what another rank writes into memory, where no event can be awaited:
 * <pre>{@code
 * Backoff backoff = new Backoff(clock, timeout);
 * while (word has not changed) {
 *     if (!backoff.pause()) {
 *         throw ...
 *     }
 * }
 * }</pre>
 */
public final class Backoff {

    /**
     * For waits whose contract is to wait for other callers, and that end otherwise: by a death, by an interruption.
     */
    public static final Duration UNBOUNDED = Duration.ofDays(36_500);

    private final Clock clock;
    private final long deadlineNanos;
    private final int mostAttempt;
    private int attempt;

    public Backoff(Clock clock, Duration timeout) {
        this(clock, timeout, Integer.MAX_VALUE);
    }

    /** @param longest the longest single pause */
    public Backoff(Clock clock, Duration timeout, Duration longest) {
        this(clock, timeout, Clock.attemptOf(longest));
    }

    private Backoff(Clock clock, Duration timeout, int mostAttempt) {
        this.clock = clock;
        this.mostAttempt = mostAttempt;
        this.deadlineNanos = clock.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
    }

    /** Waits a little, longer each time. Returns false when the time is over. */
    public boolean pause() {
        clock.pause(Math.min(attempt++, mostAttempt));
        return clock.nanoTime() - deadlineNanos < 0;
    }

    /** Returns how often this has waited: for steps that the caller should try only now and then. */
    public int attempts() {
        return attempt;
    }
}
