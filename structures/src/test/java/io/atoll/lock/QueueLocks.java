package io.atoll.lock;

/** The locks whose requests wait in queues, as trials make them. */
final class QueueLocks {

    private QueueLocks() {}

    /** Returns the lock as published, made to last. */
    static QueueLock asymmetric(Descriptors descriptors, Keeper keeper) {
        return QueueLock.asymmetric(descriptors, 1, 2, keeper);
    }

    /** Returns a lock with one queue for all. */
    static QueueLock symmetric(Descriptors descriptors, Keeper keeper) {
        return QueueLock.symmetric(descriptors, keeper);
    }
}
