package io.atoll.lock;

/** The locks whose requests wait in queues, as trials make them. */
final class QueueLocks {

    private QueueLocks() {}

    /** As published, and made to last. */
    static QueueLock asymmetric(Descriptors descriptors, Keeper keeper) {
        return QueueLock.asymmetric(descriptors, 1, 2, keeper);
    }

    /** One queue for all. */
    static QueueLock symmetric(Descriptors descriptors, Keeper keeper) {
        return QueueLock.symmetric(descriptors, keeper);
    }
}
