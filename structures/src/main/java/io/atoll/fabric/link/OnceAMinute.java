package io.atoll.fabric.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Lets one of many threads write a line into the log, at most once a minute. */
public final class OnceAMinute {

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long NEVER = 0;

    private final AtomicLong lastNanos = new AtomicLong(NEVER);

    public boolean isDue(long nowNanos) {
        long last = lastNanos.get();
        long now = nowNanos == NEVER ? NEVER + 1 : nowNanos;
        return (last == NEVER || now - last >= INTERVAL_NANOS) && lastNanos.compareAndSet(last, now);
    }
}
