package io.atoll.fabric.sim;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A verb on its way: it has been posted and takes effect in one or several steps. */
abstract sealed class Posted implements Awaitable permits Transfer, Atomic {

    final int target;
    final SimSegment segment;
    final long offset;
    private boolean done;
    private @Nullable RuntimeException failure;

    Posted(int target, SimSegment segment, long offset) {
        this.target = target;
        this.segment = segment;
        this.offset = offset;
    }

    /** Takes one step of the verb. Returns true with the last. */
    abstract boolean advance(SplittableRandom random);

    /** Returns what the last step did, for the trace. */
    abstract Object lastStep();

    /** Returns true if the verb has to wait for another verb's step. */
    boolean isBlocked() {
        return false;
    }

    /** Returns true if a step of the verb has been taken. */
    abstract boolean hasBegun();

    /** Returns true if the verb has begun and cannot be stopped between two of its steps. */
    boolean isIndivisible() {
        return false;
    }

    /**
     * Returns the same verb for a late arrival, for which no thread waits: it takes nothing from the memory of its
     * thread, and places nothing there.
     */
    abstract Posted forLater();

    /** Returns true if {@code next}, posted later, may take effect before this verb. */
    boolean mayBeOvertakenBy(Posted next) {
        return false;
    }

    final void step(SplittableRandom random) {
        done = advance(random);
    }

    final void runToEnd(SplittableRandom random) {
        while (!done) {
            step(random);
        }
    }

    final void fail(RuntimeException cause) {
        failure = cause;
        done = true;
    }

    final void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public final boolean isDone() {
        return done;
    }
}
