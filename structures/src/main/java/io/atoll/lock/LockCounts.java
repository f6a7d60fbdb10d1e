package io.atoll.lock;

import java.time.Duration;

/**
 * How often a lock has been wanted and had, by the ranks that can be reached, since each has been there.
 *
 * @param localAcquisitions by the owner's threads
 * @param remoteAcquisitions by others
 * @param passes of these acquisitions, those that were handed on by the one before, within the budget of its cohort
 * @param reacquisitions those that were handed on when the budget was spent, so that the other cohort had its turn first
 * @param waits those that had to wait
 * @param waited all their waits together
 * @param longestWait the longest of them
 * @param recoveries those that were told that somebody may have died with the lock
 */
public record LockCounts(long localAcquisitions, long remoteAcquisitions, long passes, long reacquisitions, long waits,
        Duration waited, Duration longestWait, long recoveries) {

    static final LockCounts NONE = new LockCounts(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0);

    LockCounts plus(LockCounts other) {
        return new LockCounts(localAcquisitions + other.localAcquisitions,
                remoteAcquisitions + other.remoteAcquisitions, passes + other.passes,
                reacquisitions + other.reacquisitions, waits + other.waits, waited.plus(other.waited),
                longestWait.compareTo(other.longestWait) < 0 ? other.longestWait : longestWait,
                recoveries + other.recoveries);
    }
}
