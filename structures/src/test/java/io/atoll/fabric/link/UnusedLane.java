package io.atoll.fabric.link;

import org.jspecify.annotations.Nullable;

/** A lane on which everything is done at once. */
class UnusedLane implements Lane {

    @Override
    public final long segmentBytes() {
        return 64;
    }

    @Override
    public boolean isUsable() {
        return true;
    }

    @Override
    public @Nullable String broken() {
        return null;
    }

    @Override
    public final long posted() {
        return 1;
    }

    @Override
    public final long unanswered() {
        return 0;
    }

    @Override
    public boolean hasLostWrites() {
        return false;
    }

    @Override
    public final boolean isDone(long number, String verb, long offset) {
        return true;
    }

    @Override
    public final void await(long number, String verb, long offset) {
        // It is done already.
    }

    @Override
    public void flush() {
        // Everything has arrived already.
    }

    @Override
    public final void close(String why) {
        // Nothing is open.
    }
}
