package io.atoll.spring.admission;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Lets a limited number of calls through each minute, and counts the calls that it leaves out. Any thread may use it.
 */
public final class MinuteBudget {

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final int most;
    private final LongSupplier nanoTime;
    // Guarded by the lock, as are the fields below.
    private long sinceNanos;
    private int taken;
    private long leftOut;

    /**
     * @param most the number of calls let through in a minute
     * @param nanoTime a clock such as {@link System#nanoTime}
     */
    public MinuteBudget(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
        this.sinceNanos = nanoTime.getAsLong();
    }

    /**
     * Returns how many calls were left out since the last one was let through. Returns empty if this call is left out,
     * too.
     */
    public OptionalLong take() {
        lock.lock();
        try {
            long nowNanos = nanoTime.getAsLong();
            if (nowNanos - sinceNanos >= MINUTE_NANOS) {
                sinceNanos = nowNanos;
                taken = 0;
            }
            if (taken == most) {
                leftOut++;
                return OptionalLong.empty();
            }
            taken++;
            long before = leftOut;
            leftOut = 0;
            return OptionalLong.of(before);
        } finally {
            lock.unlock();
        }
    }
}
