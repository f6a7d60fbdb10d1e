package io.atoll.lock;

/** The locks whose requests wait in queues, as trials make them. */
final class QueueLocks {

    private QueueLocks() {}

    /** Returns the lock as published, made to last. */
    static QueueLock asymmetric(Descriptors descriptors, BackgroundTasks background) {
        return QueueLock.asymmetric(descriptors, 1, 2, background);
    }

    /** Returns a lock with one queue for all. */
    static QueueLock symmetric(Descriptors descriptors, BackgroundTasks background) {
        return QueueLock.symmetric(descriptors, background);
    }
}
