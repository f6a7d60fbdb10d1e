package io.atoll.fabric.sim;

import org.jspecify.annotations.Nullable;

/** Something that happens to the world itself, at a time or after it. */
record Event(long readyNanos, Runnable action, Scheduler scheduler) implements Agent {

    @Override
    public @Nullable SimThread step() {
        scheduler.remove(this);
        action.run();
        return null;
    }

    @Override
    public @Nullable SimThread thread() {
        return null;
    }

    @Override
    public void stall(long untilNanos) {
        throw new AssertionError("nobody's step is nobody's to stall");
    }
}
