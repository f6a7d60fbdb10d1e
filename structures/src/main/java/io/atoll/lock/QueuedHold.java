package io.atoll.lock;

import java.time.Duration;

/** A hold that was requested in a queue. */
final class QueuedHold extends RequestedHold {

    /** The request's position with respect to the queue. */
    enum Stage {
        /** Not in it. */
        OUTSIDE,
        /** In it or not: the answer to its exchange is missing. */
        ENTRY_IN_DOUBT, WAITING,
        /** First in it. */
        LEADING,
        /** It may have left: the answer to its exchange is missing. */
        EXIT_IN_DOUBT,
        /** Others come after it, and it waits to learn which one is next. */
        PASSING,
        /** It has left, and the queue is being rebuilt. */
        LEFT,
        /** The lock was lost with its owner's segment, and others may still be about to write to the descriptor. */
        LOST
    }

    private final QueueLock queue;
    final Cohort cohort;
    long self = name(); // its name in tails

    Stage stage = Stage.OUTSIDE;
    long predecessor = Tail.FREE;
    long other = Tail.FREE; // the other cohort's tail as it was last seen
    long ended = Tail.FREE; // such a tail that names a process that has ended
    int granted; // the budget that its predecessor has left it
    int budget;
    boolean linked; // its predecessor knows of it, or the queue is repaired
    private boolean takenOver;
    final ReleaseTask releaseTask; // made beforehand: a request can leave even without memory

    QueuedHold(QueueLock queue, long index, int owner, Parts parts, long line, OwnDescriptor descriptor,
            Cohort cohort) {
        super(queue.descriptors, index, owner, parts, line, descriptor, cohort.isByCpu());
        this.queue = queue;
        this.cohort = cohort;
        this.releaseTask = new ReleaseTask(queue, this);
    }

    /**
     * Makes a request that is to take the place of another one that has given up: of the same turn of the same
     * descriptor.
     */
    QueuedHold(QueuedHold former) {
        super(former);
        this.queue = former.queue;
        this.cohort = former.cohort;
        this.releaseTask = new ReleaseTask(former.releaseTask, this);
    }

    /** Takes the place of the former request, which no thread uses any more. */
    void standWhere(QueuedHold former) {
        self = former.self;
        predecessor = former.predecessor;
        linked = former.linked;
        stage = former.stage;
        takenOver = true;
    }

    @Override
    public boolean release() {
        return releases() && queue.leaveAfterUse(this);
    }

    @Override
    public boolean revoke(Duration patience) {
        if (!isHolding()) {
            return false;
        }
        long known = queue.knownDeaths(this); // first, since this read can fail
        return releases() && queue.leaveByForce(this, known);
    }

    /** Returns the number of its descriptor. */
    int number() {
        return Tail.index(name());
    }

    /** Returns true if it stands where another thread has waited before. */
    boolean isTakenOver() {
        return takenOver;
    }

    @Override
    public boolean isPassed() {
        return predecessor != Tail.FREE && granted > 0;
    }

    @Override
    public boolean isReacquired() {
        return predecessor != Tail.FREE && granted == 0;
    }

    @Override
    public int budget() {
        return budget;
    }

    @Override
    public String toString() {
        return super.toString() + " stage=" + stage;
    }
}
