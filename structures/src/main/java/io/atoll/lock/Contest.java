package io.atoll.lock;

import io.atoll.failure.FabricException;

/**
 * Tells a request that only tries whether it has lost. It may give the lock up only if another request has the lock, or
 * waits for its holder. Otherwise several requests that try at once could each leave because of another one that leaves
 * for the same reason:
 * <pre>
 *     one of the owner's threads        one of another rank
 *
 *     local tail := itself              remote tail := itself
 *                                       victim := remote
 *                                       sees the local tail, and is the victim: leaves
 *     victim := local
 *     sees the remote tail, and is the victim: leaves
 * </pre>
 * So the victim goes on looking until the other one holds the lock, or has left. A waiter that has given up leaves,
 * too, when its turn comes. Until then the requests before it count. The two cohorts have only reads and writes in
 * common. By these alone no two threads can agree, unless one waits for the other's next step (Herlihy 1991).
 */
final class Contest {

    private final Descriptors descriptors;

    Contest(Descriptors descriptors) {
        this.descriptors = descriptors;
    }

    /**
     * (lost) Returns true if a try has lost to the request's own cohort. Only the last request there that has not given
     * up counts. It must have the lock, wait for it, or compete with a request of the other cohort that has it.
     *
     * @param tail of the cohort
     */
    boolean isLost(QueuedHold request, long tail) {
        if (Tail.isClosed(tail)) {
            return true;
        }
        try {
            long phase = lastPhase(request, tail);
            return hasOrWaits(phase)
                    || phase == Phase.LEADING && isTaken(request, request.cohort.otherTail(request));
        } catch (FabricException unreachable) {
            return true;
        }
    }

    /**
     * (taken) Returns true if the other cohort has the lock. Only its last request that has not given up counts. It
     * must have the lock, or wait for its holder.
     *
     * @param tail of the other cohort
     */
    boolean isTaken(QueuedHold request, long tail) {
        if (tail == Tail.FREE) {
            return false;
        }
        try {
            return Tail.isClosed(tail) || hasOrWaits(lastPhase(request, tail));
        } catch (FabricException unreachable) {
            return true;
        }
    }

    /**
     * (last) Returns the phase of the last request in the queue that has not given up. Returns {@link Phase#IDLE} if
     * all in it have. A predecessor that has left may have come again, and stand behind. So the number of looks has a
     * bound.
     */
    private long lastPhase(QueuedHold request, long tail) {
        Descriptors.Standing last = descriptors.standing(tail, request);
        for (int looks = descriptors.ofAllRanks(); last.phase() == Phase.LEAVING; looks--) {
            if (looks == 0 || last.predecessor() == Tail.FREE) {
                return Phase.IDLE;
            }
            last = descriptors.standing(last.predecessor(), request);
        }
        return last.phase();
    }

    /** A request in another phase is about to have the lock, to wait, or to leave. */
    private static boolean hasOrWaits(long phase) {
        return phase == Phase.HOLDING || phase == Phase.WAITING;
    }
}
