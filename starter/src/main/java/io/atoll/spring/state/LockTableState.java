package io.atoll.spring.state;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.atoll.lock.LockState;
import io.atoll.lock.LockView;
import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A table of locks.
 *
 * @param locks the number of its locks
 * @param configuration the configuration that every rank must open it with
 * @param busy the locks that are held or wanted at the moment, at most 64, in the order of their indices
 * @param hottest the locks with the longest waits, all waits added up, at most 20, the hottest first
 */
public record LockTableState(String name, long locks, String configuration, List<HeldLock> busy,
        List<HeldLock> hottest) {

    private static final int MOST_BUSY = 64;
    private static final int MOST_HOT = 20;

    /**
     * One lock. The counts are those of the ranks that can be reached, each since its segment was made.
     *
     * @param index the index in its table
     * @param owner the rank whose segment contains the lock
     * @param holders the holder, if there is one
     * @param waiting the waiting threads, the longest wait first, at most 64
     * @param localAcquisitions acquisitions by the owner's threads
     * @param remoteAcquisitions acquisitions by threads of other ranks
     * @param passes acquisitions that the previous holder has handed on
     * @param reacquisitions acquisitions that were handed on when the budget was spent
     * @param waits acquisitions that had to wait
     * @param waitedMillis the total of their waits
     * @param longestWaitMillis the longest of these waits
     * @param recoveries acquisitions that were told that a thread may have died with the lock
     * @param budget how often the lock could still be passed on within the holder's cohort when the holder got it. Null
     * if that is not known
     * @param victim the cohort that lets the other one go first, local or remote; null unless both cohorts have a
     * thread there
     * @param local the queue of the owner's threads, the next one first, at most 64
     * @param remote the queue of all other threads, the next one first, at most 64
     */
    public record HeldLock(long index, int owner, List<LockUser> holders, List<LockUser> waiting,
            long localAcquisitions, long remoteAcquisitions, long passes, long reacquisitions, long waits,
            long waitedMillis, long longestWaitMillis, long recoveries, @Nullable Integer budget,
            @Nullable String victim, List<LockUser> local, List<LockUser> remote) {

        static HeldLock of(LockState lock) {
            LockState.Counts counts = lock.counts();
            return new HeldLock(lock.index(), lock.owner(), lock.holder().stream().map(LockUser::of).toList(),
                    users(lock.waiting()), counts.localAcquisitions(), counts.remoteAcquisitions(), counts.passes(),
                    counts.reacquisitions(), counts.waits(), counts.waited().toMillis(),
                    counts.longestWait().toMillis(), counts.recoveries(),
                    lock.budget().isPresent() ? lock.budget().getAsInt() : null,
                    lock.victim().map(cohort -> cohort.name().toLowerCase(Locale.ROOT)).orElse(null),
                    users(lock.local()), users(lock.remote()));
        }

        /** Returns the lock as it is after that time, if nobody has come or gone. */
        HeldLock later(long millis) {
            return new HeldLock(index, owner, later(holders, millis), later(waiting, millis), localAcquisitions,
                    remoteAcquisitions, passes, reacquisitions, waits, waitedMillis, longestWaitMillis, recoveries,
                    budget, victim, later(local, millis), later(remote, millis));
        }

        private static List<LockUser> later(List<LockUser> users, long millis) {
            return users.stream().map(user -> user.later(millis)).toList();
        }

        private static List<LockUser> users(List<LockState.Request> requests) {
            return requests.stream().limit(MOST_BUSY).map(LockUser::of).toList();
        }
    }

    /**
     * A thread that holds a lock or waits for it.
     *
     * @param rank the rank of the thread
     * @param thread the beginning of the thread's name
     * @param sinceMillis when the hold or the wait began, in milliseconds since 1970, by the clock of the thread's
     * machine
     * @param local true for a thread of the owner
     * @param heldMillis how long the thread has held the lock; null for a waiter
     * @param waitedMillis how long the thread has waited; null for the holder
     * @param token the holder's fencing token; null for a waiter, and where it is not known. JSON has it as a text,
     * since JavaScript rounds numbers from 2<sup>53</sup> on
     * @param key what the lock stands for, if its thread has said so
     */
    public record LockUser(int rank, String thread, long sinceMillis, boolean local, @Nullable Long heldMillis,
            @Nullable Long waitedMillis, @JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable Long token,
            @Nullable String key) {

        static LockUser of(LockState.Request request) {
            boolean holds = request.holds();
            return new LockUser(request.rank(), request.thread(), request.since().toEpochMilli(), request.local(),
                    holds ? request.held().toMillis() : null, holds ? null : request.waited().toMillis(),
                    request.token().isPresent() ? request.token().getAsLong() : null, request.key().orElse(null));
        }

        LockUser later(long millis) {
            return new LockUser(rank, thread, sinceMillis, local, heldMillis == null ? null : heldMillis + millis,
                    waitedMillis == null ? null : waitedMillis + millis, token, key);
        }
    }

    /** Returns the table as it is after that time, if nobody has come or gone. */
    LockTableState later(long millis) {
        return new LockTableState(name, locks, configuration, busy.stream().map(lock -> lock.later(millis)).toList(),
                hottest.stream().map(lock -> lock.later(millis)).toList());
    }

    static LockTableState of(NamedStructure table, LockView locks, List<LockState> busy) {
        return new LockTableState(table.name(), locks.locks(), table.configuration(),
                busy.stream().limit(MOST_BUSY).map(HeldLock::of).toList(),
                locks.hottest(MOST_HOT).stream().map(HeldLock::of).toList());
    }
}
