package io.atoll.world;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.memory.StackSafeLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads of this process that wait for one of a few things, which their users give back without a signal. The first
 * thread in line looks for one; the others wait for their turn without looking. So thousands of threads may wait at the
 * price of one that looks.
 *
 * <p>A thread that finds a thing at once need not stand in line. Otherwise all threads would be slow as soon as one had
 * waited. If the first one in line has found nothing for long, it {@linkplain #isStarving says so}: then all others
 * stand in line, too.
 */
public final class WaitingLine {

    private static final int LOOKS_BEFORE_STARVING = Clock.SPINS + Clock.YIELDS + Clock.DOUBLINGS;

    /** How long a thread waits for its turn before it asks again how long it may wait. */
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private final StackSafeLock turn = new StackSafeLock(true);
    private volatile boolean starving;
    private volatile long servedNanos;

    public WaitingLine(Clock clock) {
        this.clock = clock;
        this.servedNanos = clock.nanoTime();
    }

    /** Returns true if a thread that comes now must stand in line, although it might find a thing at once. */
    public boolean isStarving() {
        return starving;
    }

    /**
     * Waits in line. A thread that is interrupted waits on.
     *
     * @param look returns the thing, or null if there is none
     * @param timeout how long the line may go without serving a thread
     * @return null if the time is over
     */
    public <T> @Nullable T await(Supplier<? extends @Nullable T> look, Duration timeout) {
        long cameNanos = clock.nanoTime();
        return await(look, () -> {
            long served = servedNanos;
            long since = served - cameNanos > 0 ? served : cameNanos;
            return since + timeout.toNanos() - clock.nanoTime();
        });
    }

    /**
     * As {@link #await(Supplier, Duration)}.
     *
     * @param remainingNanos how long the thread may still wait. Not positive if it may not wait, for example because it
     * is interrupted and must not wait on
     */
    public <T> @Nullable T await(Supplier<? extends @Nullable T> look, LongSupplier remainingNanos) {
        boolean interrupted = false;
        try {
            while (remainingNanos.getAsLong() > 0) {
                try {
                    if (turn.tryLock(Math.min(LONGEST_NANOS, remainingNanos.getAsLong()), TimeUnit.NANOSECONDS)) {
                        return lookInTurn(look, remainingNanos);
                    }
                } catch (InterruptedException interruption) {
                    Thread.currentThread().interrupt();
                    if (remainingNanos.getAsLong() > 0) {
                        interrupted = Thread.interrupted();
                    }
                }
            }
            return null;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> @Nullable T lookInTurn(Supplier<? extends @Nullable T> look, LongSupplier remainingNanos) {
        try {
            var backoff = new Backoff(clock, Backoff.UNBOUNDED);
            T found = look.get();
            while (found == null && remainingNanos.getAsLong() > 0) {
                backoff.pause();
                starving = backoff.attempts() > LOOKS_BEFORE_STARVING;
                found = look.get();
            }
            if (found != null) {
                servedNanos = clock.nanoTime();
            }
            return found;
        } finally {
            starving = false;
            turn.unlock();
        }
    }
}
