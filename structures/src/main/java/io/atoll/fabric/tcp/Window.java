package io.atoll.fabric.tcp;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Decides how many writes to a socket may be unanswered before frames are gathered. Each write costs the owner a
 * wake-up. So on a fast network one write at a time is best. Frames that come meanwhile go together with the next one.
 * On a slow network gathering would add a round trip. So the window is one write for each {@value #MICROS_PER_WRITE} us
 * of the round trip, at most 64.
 *
 * <p>Written under the lane's lock, except for what the leader measures.
 */
final class Window {

    private static final int MICROS_PER_WRITE = 16;
    private static final int MOST = 64; // a power of two
    private static final int SAMPLE_INTERVAL = 16; // writes between two samples
    private static final int WEIGHT = 16; // of the known round trip, against a slower one
    private static final long NO_SAMPLE = 0;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Clock clock;
    // For each of the last writes: the last frame up to then that asks for an answer.
    private final long[] ends = new long[MOST];
    private long writes;
    private volatile int size = 1;
    private volatile long sample = NO_SAMPLE; // the frame whose answer is measured
    private volatile long sampledNanos;
    private volatile long roundTripNanos = UNKNOWN; // written by the leader

    /** @param clock measures the round trip */
    Window(Clock clock) {
        this.clock = clock;
    }

    /** Notes a write, with the last frame so far that asks for an answer. */
    void sent(long lastAnswered) {
        if (writes > 0 && ends[index(writes - 1)] == lastAnswered) {
            return; // no frame in this write will be answered
        }
        ends[index(writes++)] = lastAnswered;
        if (writes % SAMPLE_INTERVAL == 1 && sample == NO_SAMPLE) {
            sampledNanos = clock.nanoTime();
            sample = lastAnswered;
        }
    }

    private static int index(long write) {
        return (int) write & (MOST - 1);
    }

    /** Returns true if one more write may be unanswered. */
    boolean isOpen(long completed) {
        int most = size;
        long made = writes;
        return made < most || ends[index(made - most)] <= completed;
    }

    /** Measures the round trip. Called by the leader. */
    void answered(long completed) {
        long awaited = sample;
        if (awaited == NO_SAMPLE || completed < awaited) {
            return;
        }
        long nanos = clock.nanoTime() - sampledNanos;
        sample = NO_SAMPLE;
        // The shortest one counts. A longer one has waited for a processor, and more writes would not help.
        long known = roundTripNanos;
        long next = nanos < known ? nanos : known + (nanos - known) / WEIGHT;
        roundTripNanos = next;
        size = Math.clamp(TimeUnit.NANOSECONDS.toMicros(next) / MICROS_PER_WRITE, 1, MOST);
    }

    /** Returns the shortest recent round trip, or zero if none was measured. */
    Duration roundTrip() {
        long nanos = roundTripNanos;
        return nanos == UNKNOWN ? Duration.ZERO : Duration.ofNanos(nanos);
    }

    /** Returns how many writes may be unanswered. */
    int size() {
        return size;
    }
}
