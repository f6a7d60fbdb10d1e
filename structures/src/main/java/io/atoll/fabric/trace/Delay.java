package io.atoll.fabric.trace;

import io.atoll.fabric.FabricType;
import java.time.Duration;
import java.util.Locale;

/**
 * The time that a simulated network takes for a round trip, beyond the time that the fabric takes itself.
 *
 * @param roundTripNanos of each verb, and of each batch, however many verbs it has; 0 or more
 * @param nanosPerByte for bytes that are read, written or updated; 0 or more
 */
public record Delay(long roundTripNanos, double nanosPerByte) {

    public static final Delay NONE = new Delay(0, 0);

    public Delay {
        if (roundTripNanos < 0) {
            throw new IllegalArgumentException("a delay is not negative: roundTripNanos=" + roundTripNanos);
        }
        if (!(nanosPerByte >= 0) || Double.isInfinite(nanosPerByte)) {
            throw new IllegalArgumentException("a delay is not negative: nanosPerByte=" + nanosPerByte);
        }
    }

    public static Delay of(Duration roundTrip) {
        return new Delay(roundTrip.toNanos(), 0);
    }

    public boolean isNone() {
        return roundTripNanos == 0 && nanosPerByte == 0;
    }

    /** Returns the fabric with verbs that take this much longer; the fabric itself if there is no delay. */
    public FabricType delayed(FabricType fabric) {
        return isNone() ? fabric : new Delayed(fabric, this);
    }

    /** Returns when a round trip that begins now will be over, on the clock of {@link System#nanoTime}. */
    long dueNanos(long bytes) {
        return System.nanoTime() + roundTripNanos + (long) (bytes * nanosPerByte);
    }

    /** Spins. A thread that the scheduler woke would measure the scheduler instead. */
    static void await(long dueNanos) {
        while (!isOver(dueNanos)) {
            Thread.onSpinWait();
        }
    }

    static boolean isOver(long dueNanos) {
        return System.nanoTime() - dueNanos >= 0;
    }

    /** Returns a text such as {@code 2000 ns, simulated} or {@code 2000 ns + 0.1 ns/byte, simulated}. */
    @Override
    public String toString() {
        String perByte = nanosPerByte == 0 ? "" : String.format(Locale.ROOT, " + %s ns/byte", nanosPerByte);
        return roundTripNanos + " ns" + perByte + ", simulated";
    }
}
