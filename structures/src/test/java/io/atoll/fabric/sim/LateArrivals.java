package io.atoll.fabric.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What arrives though its connection has broken: it lies with the network, or with the owner of the segment, and nobody
 * waits for it. It arrives in order, until the connection is replaced.
 */
final class LateArrivals implements Agent {

    private final Scheduler scheduler;
    private final SimThread sender;
    private final Deque<Posted> verbs = new ArrayDeque<>();
    private long stalledUntilNanos;

    LateArrivals(Scheduler scheduler, SimThread sender) {
        this.scheduler = scheduler;
        this.sender = sender;
        this.stalledUntilNanos = scheduler.nowNanos() + scheduler.fate().anyPauseNanos();
    }

    /** When the network is as it was: not before that anything arrives. */
    long beginNanos() {
        return stalledUntilNanos;
    }

    void add(Posted verb) {
        verbs.add(verb);
    }

    void begin() {
        if (!verbs.isEmpty()) {
            scheduler.add(this);
        }
    }

    @Override
    public long readyNanos() {
        Posted next = verbs.peek();
        return next == null || next.isBlocked() ? NEVER : stalledUntilNanos;
    }

    @Override
    public @Nullable SimThread step() {
        Posted next = verbs.element();
        next.step(scheduler.fate().random());
        scheduler.trace().add(scheduler.steps(), sender, next.lastStep() + ", late");
        if (next.isDone()) {
            verbs.remove();
            removeIfEmpty();
        }
        return null;
    }

    private void removeIfEmpty() {
        if (verbs.isEmpty()) {
            scheduler.remove(this);
        }
    }

    /** The connection is replaced: what has not arrived does not, except the rest of an atomic that has begun. */
    void end() {
        Posted next = verbs.peek();
        if (next != null && next.isIndivisible()) {
            next.runToEnd(scheduler.fate().random());
        }
        verbs.clear();
        scheduler.remove(this);
    }

    @Override
    public SimThread thread() {
        return sender;
    }

    @Override
    public void stall(long untilNanos) {
        stalledUntilNanos = untilNanos;
    }

    @Override
    public String toString() {
        return "late" + verbs;
    }
}
