package io.atoll.fabric.link;

import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The origins that have sent a wrong proof. Each of them waits until a second has passed since its last wrong proof. So
 * guessing takes long, and a process with another secret does not take handshakes away from ranks. At most
 * {@link #MOST} origins are remembered, the latest ones. Any thread may use it.
 */
final class ProofBackoff {

    static final int MOST = 1 << 10;
    static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    // Guarded by this; the first is due first.
    private final LinkedHashMap<Origin, Long> dueNanos = new LinkedHashMap<>();

    /** Notes that a proof from this origin was wrong. */
    synchronized void delay(Origin origin, long nowNanos) {
        forgetDue(nowNanos);
        dueNanos.remove(origin); // so that it becomes the last one
        dueNanos.put(origin, nowNanos + NANOS);
        if (dueNanos.size() > MOST) {
            dueNanos.pollFirstEntry();
        }
    }

    /** Returns how long requesters from this origin have to wait, or 0. */
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
