package io.atoll.lock;

import io.atoll.fabric.Batch;

/**
 * The cohort of all ranks, the owner among them: all reach the lock through the fabric. The lock is then a queue lock
 * without cohorts (the competitor of ALock, section 6).
 */
class OnlyCohort extends RemoteCohort {

    OnlyCohort(Descriptors descriptors) {
        super(descriptors, Grant.MAXIMUM_BUDGET);
    }

    /** Does nothing: there is no other cohort. */
    @Override
    void writeVictim(Batch batch, QueuedHold request) {}

    @Override
    long otherTail(QueuedHold request) {
        return Tail.FREE;
    }

    @Override
    boolean mayEnter(long otherTail, long victim) {
        return true;
    }
}
