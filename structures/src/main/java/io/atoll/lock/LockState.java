package io.atoll.lock;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state of a lock as a reader has seen it from outside, while other threads went on.
 *
 * @param index of the lock in its table
 * @param owner the rank whose segment holds the lock
 * @param waiting all threads of {@code local} and {@code remote}, which wait for the lock, the longest wait first
 * @param local the queue of the owner's threads without the holder, the next one first. Empty if all threads stand in
 * one queue
 * @param remote the queue of all other threads without the holder, the next one first
 * @param budget how often the holder's cohort could still pass the lock on when the holder got it. Empty if the lock is
 * free, has no cohorts, or was found free by an owner's thread
 * @param victim the cohort that lets the other one go first. Empty unless threads of both cohorts are there
 */
public record LockState(long index, int owner, Optional<LockRequest> holder, List<LockRequest> waiting,
        List<LockRequest> local, List<LockRequest> remote, OptionalInt budget, Optional<LockCohort> victim,
        LockCounts counts) {}
