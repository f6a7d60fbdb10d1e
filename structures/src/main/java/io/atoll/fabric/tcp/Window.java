package io.atoll.fabric.tcp;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How many writes to a socket may be unanswered before frames are gathered. Each write costs the owner a wake-up, so on
 * a fast network one at a time is best: what comes meanwhile goes together with the next. On a slow one gathering would
 * add a round trip. So the window is one write for each {@value #MICROS_PER_WRITE} us of the round trip, 64 at most.
 *
 * <p>Written under the lane's lock, but for what the leader measures.
 */
final class Window {

    private static final int MICROS_PER_WRITE = 16;
    private static final int MOST = 64; // a power of two
    private static final int SAMPLE_INTERVAL = 16; // writes
    private static final int WEIGHT = 16; // of what was known, against a slower round trip
    private static final long NO_SAMPLE = 0;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Clock clock;
    private final long[] ends = new long[MOST]; // of the last writes: the last frame that asks for an answer
    private long writes;
    private volatile int size = 1;
    private volatile long sample = NO_SAMPLE; // the frame whose answer is waited for
    private volatile long sampledNanos;
    private volatile long roundTripNanos = UNKNOWN; // written by the leader

    /** @param clock by which the round trip is measured */
    Window(Clock clock) {
        this.clock = clock;
    }

    /** Notes a write, up to the last frame that asks for an answer. */
    void sent(long lastAnswered) {
        if (writes > 0 && ends[index(writes - 1)] == lastAnswered) {
            return; // nothing in it will be answered
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

    /** Returns whether one more write may be unanswered. */
    boolean isOpen(long completed) {
        int most = size;
        long made = writes;
        return made < most || ends[index(made - most)] <= completed;
    }

    /** Measures the round trip. To be called by the leader. */
    void answered(long completed) {
        long awaited = sample;
        if (awaited == NO_SAMPLE || completed < awaited) {
            return;
        }
        long nanos = clock.nanoTime() - sampledNanos;
        sample = NO_SAMPLE;
        // The shortest counts: a longer one has waited for a processor, and more writes would not help.
        long known = roundTripNanos;
        long next = nanos < known ? nanos : known + (nanos - known) / WEIGHT;
        roundTripNanos = next;
        size = Math.clamp(TimeUnit.NANOSECONDS.toMicros(next) / MICROS_PER_WRITE, 1, MOST);
    }

    /** Returns the shortest round trip of late; zero where none was measured. */
    Duration roundTrip() {
        long nanos = roundTripNanos;
        return nanos == UNKNOWN ? Duration.ZERO : Duration.ofNanos(nanos);
    }

    /** Returns how many writes may be unanswered. */
    int size() {
        return size;
    }
}
