package io.atoll.lock.observation;

import java.util.List;
import java.util.Optional;

/**
 * A lock as somebody who looked on has seen it, while others went on.
 *
 * @param index of the lock in its table
 * @param owner the rank in whose segment it lies
 * @param waiting those who wait for it, the longest first; also those who have given up, until their turn comes
 */
public record LockState(long index, int owner, Optional<LockRequest> holder, List<LockRequest> waiting,
        LockCounts counts) {}
