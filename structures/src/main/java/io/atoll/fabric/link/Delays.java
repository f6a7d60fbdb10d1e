package io.atoll.fabric.link;

import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Origins from which a proof was wrong. Each waits until a second has passed since the last. So guessing takes long,
 * and a process that knows another secret takes no handshakes from ranks. It remembers so many, the last ones. Any
 * thread may use it.
 */
final class Delays {

    static final int MOST = 1 << 10;
    static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LinkedHashMap<Origin, Long> dueNanos = new LinkedHashMap<>(); // guarded by this; the first due first

    /** A proof from there was wrong. */
    synchronized void delay(Origin origin, long nowNanos) {
        forgetDue(nowNanos);
        dueNanos.remove(origin); // so that it counts as the last
        dueNanos.put(origin, nowNanos + NANOS);
        if (dueNanos.size() > MOST) {
            dueNanos.pollFirstEntry();
        }
    }

    /** Returns how long those from there wait; 0 if they need not. */
    synchronized long leftNanos(Origin origin, long nowNanos) {
        forgetDue(nowNanos);
        Long due = dueNanos.get(origin);
        return due == null ? 0 : Math.max(0, due - nowNanos);
    }

    private void forgetDue(long nowNanos) {
        while (!dueNanos.isEmpty() && dueNanos.firstEntry().getValue() - nowNanos <= 0) {
            dueNanos.pollFirstEntry();
        }
    }

    synchronized int size() {
        return dueNanos.size();
    }
}
