package io.atoll.lock;

import java.time.Duration;

/**
 * Counts of one lock: how often threads have wanted it and had it. They cover the ranks that can be reached, each since
 * it joined.
 *
 * @param localAcquisitions acquisitions by the owner's threads
 * @param remoteAcquisitions acquisitions by threads of other ranks
 * @param passes acquisitions that the holder before has handed on within the budget of its cohort
 * @param reacquisitions acquisitions that the holder before has handed on after the budget was spent. The other cohort
 * had its turn first
 * @param waits acquisitions that had to wait
 * @param waited the sum of all waits
 * @param longestWait the longest wait
 * @param recoveries acquisitions that were told that a former holder may have died with the lock
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
