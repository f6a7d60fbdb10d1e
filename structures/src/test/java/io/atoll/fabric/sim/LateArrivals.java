package io.atoll.fabric.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that arrive though their connection has broken: they lie with the network, or with the owner of the segment,
 * and no thread waits for them. They arrive in order, until the connection is replaced.
 */
final class LateArrivals implements Agent {

    private final Scheduler scheduler;
    private final SimThread sender;
    private final Deque<Posted> verbs = new ArrayDeque<>();
    private long stalledUntilNanos;

    LateArrivals(Scheduler scheduler, SimThread sender) {
        this.scheduler = scheduler;
        this.sender = sender;
    }

    void add(Posted verb) {
        verbs.add(verb);
    }

    /** Lets the verbs arrive from that time on: the network is whole again then. */
    void beginAt(long nanos) {
        if (!verbs.isEmpty()) {
            stalledUntilNanos = nanos;
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

    /** Ends the arrivals, since the connection is replaced. Only the rest of an atomic that has begun still arrives. */
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
