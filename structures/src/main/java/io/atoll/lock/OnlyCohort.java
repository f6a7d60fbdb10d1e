package io.atoll.lock;

import io.atoll.fabric.Batch;

/** All ranks, the owner among them, through the fabric: a queue lock as if there were no cohorts (the competitor of ALock, section 6). */
class OnlyCohort extends RemoteCohort {

    OnlyCohort(Descriptors descriptors) {
        super(descriptors, Grant.MAXIMUM_BUDGET);
    }

    /** Nobody to let go first. */
    @Override
    void writeVictim(Batch batch, QueuedRequest request) {}

    @Override
    long otherTail(QueuedRequest request) {
        return Tail.FREE;
    }

    @Override
    boolean mayEnter(long otherTail, long victim) {
        return true;
    }
}
