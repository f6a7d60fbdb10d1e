package io.atoll.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

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
public record LockState(long index, int owner, Optional<Request> holder, List<Request> waiting, List<Request> local,
        List<Request> remote, OptionalInt budget, Optional<Cohort> victim, Counts counts) {

    /**
     * A thread that holds a lock or waits for it.
     *
     * @param thread the beginning of the thread's name
     * @param threadId the thread's number in its process; 0 if the thread has not told it
     * @param since when the hold or the wait began, by the clock of the thread's machine, within a tenth of a second
     * @param age how long the thread has held the lock or waited for it, to about two tenths of a second. Both ends
     * come from its own machine's clock, so a reader's clock does not matter. The age stands still while the process
     * does
     * @param local true if the thread is one of the owner's threads
     * @param holds true if the thread holds the lock
     * @param token the fencing token of a holder. Empty for a waiter, and if the hold has ended during the look
     * @param key the beginning of the text for which the lock is held, at most 96 bytes. Present only if the caller
     * named a text, a number or a UUID. The caller must also have held the lock for more than a tenth of a second
     */
    public record Request(int rank, String thread, long threadId, Instant since, Duration age, boolean local,
            boolean holds, OptionalLong token, Optional<String> key) {

        /** Returns how long the thread has held the lock; zero while it waits. */
        public Duration held() {
            return holds ? age : Duration.ZERO;
        }

        /** Returns how long the thread has waited for the lock; zero once it holds the lock. */
        public Duration waited() {
            return holds ? Duration.ZERO : age;
        }
    }

    /** The threads that reach a lock in the same way. */
    public enum Cohort {
        /** The owner's threads. */
        LOCAL,
        /** Threads of other ranks. */
        REMOTE
    }

    /**
     * Counts of one lock: how often threads have wanted it and had it. They cover the ranks that can be reached, each
     * since it joined.
     *
     * @param localAcquisitions acquisitions by the owner's threads
     * @param remoteAcquisitions acquisitions by threads of other ranks
     * @param passes acquisitions that the holder before has handed on within the budget of its cohort
     * @param reacquisitions acquisitions that the holder before has handed on after the budget was spent. The other
     * cohort had its turn first
     * @param waits acquisitions that had to wait
     * @param waited the sum of all waits
     * @param longestWait the longest wait
     * @param recoveries acquisitions that were told that a former holder may have died with the lock
     */
    public record Counts(long localAcquisitions, long remoteAcquisitions, long passes, long reacquisitions, long waits,
            Duration waited, Duration longestWait, long recoveries) {

        static final Counts NONE = new Counts(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0);

        Counts plus(Counts other) {
            return new Counts(localAcquisitions + other.localAcquisitions,
                    remoteAcquisitions + other.remoteAcquisitions, passes + other.passes,
                    reacquisitions + other.reacquisitions, waits + other.waits, waited.plus(other.waited),
                    longestWait.compareTo(other.longestWait) < 0 ? other.longestWait : longestWait,
                    recoveries + other.recoveries);
        }
    }
}
