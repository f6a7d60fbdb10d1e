package io.atoll.fabric;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Time, and how a thread lets it pass while it waits for another rank's write. */
public interface Clock {

    /** The number of first attempts that only spin. */
    int SPINS = 100;

    /** The number of attempts after these that let other threads have the processor. */
    int YIELDS = 20;

    /** The first sleep, which follows all these attempts. Each later one is twice as long as the one before. */
    long SHORTEST_PARK_NANOS = 10_000;

    /** The number of times that the sleep doubles. */
    int DOUBLINGS = 7;

    /** The machine's clock. */
    Clock SYSTEM = new Clock() {

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

        /**
         * Sleeps in a thread that was interrupted, which would not park. These waits are bounded, and end by
         * themselves.
         */
        private static void sleep(long nanos) {
            try {
                Thread.sleep(Duration.ofNanos(nanos));
            } catch (InterruptedException again) {
                // Interrupted again; the finally block restores the interruption.
            } finally {
                Thread.currentThread().interrupt();
            }
        }
    };

    /** As {@link System#nanoTime()}. */
    long nanoTime();

    /**
     * Lets others go on before the next look. The pause grows with the attempt (0, 1, ...), up to about a millisecond.
     */
    void pause(int attempt);

    /**
     * Returns the highest attempt whose pause is not longer than this: 10 us, 20 us, ... to 1.28 ms. A shorter duration
     * only spins and yields.
     */
    static int attemptOf(Duration longest) {
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(longest.toNanos() / SHORTEST_PARK_NANOS);
        return SPINS + YIELDS + Math.min(doublings, DOUBLINGS);
    }
}
