package io.atoll.fabric;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Time, and how a thread lets it pass while it waits for another rank's write. */
public interface Clock {

    /** The machine's. */
    Clock SYSTEM = new Clock() {

        private static final int SPINS = 100;
        private static final int YIELDS = 20;
        private static final long SHORTEST_PARK_NANOS = 10_000;
        private static final int DOUBLINGS = 7;

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void pause(int attempt) {
            if (attempt < SPINS) {
                Thread.onSpinWait();
            } else if (attempt < SPINS + YIELDS) {
                Thread.yield();
            } else {
                int doublings = Math.min(attempt - SPINS - YIELDS, DOUBLINGS);
                park(SHORTEST_PARK_NANOS << doublings);
            }
        }

        private static void park(long nanos) {
            if (Thread.interrupted()) {
                sleep(nanos);
            } else {
                LockSupport.parkNanos(nanos);
            }
        }

        /** Of a thread that was interrupted, which would not park: these waits are bounded, and end by themselves. */
        private static void sleep(long nanos) {
            try {
                Thread.sleep(Duration.ofNanos(nanos));
            } catch (InterruptedException again) {
                // As before.
            } finally {
                Thread.currentThread().interrupt();
            }
        }
    };

    /** As {@link System#nanoTime()}. */
    long nanoTime();

    /** Lets others go on before the next look: the longer, the higher the attempt (0, 1, ...), up to about a millisecond. */
    void pause(int attempt);
}
