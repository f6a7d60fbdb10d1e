package io.atoll.lock;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A lock as somebody who looked on has seen it, while others went on.
 *
 * @param index of the lock in its table
 * @param owner the rank in whose segment it lies
 * @param waiting those who wait for it, the longest first; of {@code local} and {@code remote}
 * @param local the queue of the owner's threads without the holder, the next first. Empty where all stand in one queue
 * @param remote the queue of all others without the holder, the next first
 * @param budget how often the lock could still be passed on within the holder's cohort, when that got it; empty if
 * nobody holds it, there are no cohorts, or an owner's thread found it free
 * @param victim which cohort lets the other one go first; empty unless both have somebody there
 */
public record LockState(long index, int owner, Optional<LockRequest> holder, List<LockRequest> waiting,
        List<LockRequest> local, List<LockRequest> remote, OptionalInt budget, Optional<LockCohort> victim,
        LockCounts counts) {}
