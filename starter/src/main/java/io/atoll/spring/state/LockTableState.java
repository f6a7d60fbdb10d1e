package io.atoll.spring.state;

import io.atoll.lock.LockCounts;
import io.atoll.lock.LockRequest;
import io.atoll.lock.LockState;
import io.atoll.lock.LockView;
import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A table of locks.
 *
 * @param locks how many it has
 * @param configuration what every rank that opens it must ask for
 * @param busy locks that are held or wanted at the moment, at most 64, in the order of their indices
 * @param hottest locks for which has been waited longest, all waits together, at most 20, the hottest first
 */
public record LockTableState(String name, long locks, String configuration, List<HeldLock> busy,
        List<HeldLock> hottest) {

    private static final int MOST_BUSY = 64;
    private static final int MOST_HOT = 20;

    /**
     * One lock. Counts are those of the ranks that can be reached, since each has been there.
     *
     * @param index in its table
     * @param owner the rank in whose segment it lies
     * @param holders who holds it: one, or nobody
     * @param waiting those who wait for it, the longest first, at most 64
     * @param localAcquisitions by the owner's threads
     * @param remoteAcquisitions by others
     * @param passes acquisitions that were handed on by the one before
     * @param reacquisitions those that were handed on when the budget was spent
     * @param waits those that had to wait
     * @param waitedMillis all their waits together
     * @param longestWaitMillis the longest of them
     * @param recoveries those that were told that somebody may have died with the lock
     * @param budget how often the lock could still be passed on within the holder's cohort when it got it; null where that is not known
     * @param victim the cohort that lets the other one go first, local or remote; null unless both have somebody there
     * @param local the queue of the owner's threads, the next first, at most 64
     * @param remote the queue of all others likewise
     */
    public record HeldLock(long index, int owner, List<LockUser> holders, List<LockUser> waiting,
            long localAcquisitions, long remoteAcquisitions, long passes, long reacquisitions, long waits,
            long waitedMillis, long longestWaitMillis, long recoveries, @Nullable Integer budget,
            @Nullable String victim, List<LockUser> local, List<LockUser> remote) {

        static HeldLock of(LockState lock) {
            LockCounts counts = lock.counts();
            return new HeldLock(lock.index(), lock.owner(), lock.holder().stream().map(LockUser::of).toList(),
                    users(lock.waiting()), counts.localAcquisitions(), counts.remoteAcquisitions(), counts.passes(),
                    counts.reacquisitions(), counts.waits(), counts.waited().toMillis(),
                    counts.longestWait().toMillis(), counts.recoveries(),
                    lock.budget().isPresent() ? lock.budget().getAsInt() : null,
                    lock.victim().map(cohort -> cohort.name().toLowerCase(Locale.ROOT)).orElse(null),
                    users(lock.local()), users(lock.remote()));
        }

        private static List<LockUser> users(List<LockRequest> requests) {
            return requests.stream().limit(MOST_BUSY).map(LockUser::of).toList();
        }
    }

    /**
     * A thread that holds a lock or waits for it.
     *
     * @param rank whose it is
     * @param thread the beginning of its name
     * @param sinceMillis since when, in milliseconds since 1970, by its machine's clock
     * @param local whether it is one of the owner's
     * @param heldMillis for how long it has held the lock; null of one that waits
     * @param waitedMillis for how long it has waited; null of one that holds the lock
     * @param token the fencing token of one that holds the lock; null of one that waits, and where it is not known
     * @param key what the lock stands for, if its thread has said so
     */
    public record LockUser(int rank, String thread, long sinceMillis, boolean local, @Nullable Long heldMillis,
            @Nullable Long waitedMillis, @Nullable Long token, @Nullable String key) {

        static LockUser of(LockRequest request) {
            boolean holds = request.holds();
            return new LockUser(request.rank(), request.thread(), request.since().toEpochMilli(), request.local(),
                    holds ? request.held().toMillis() : null, holds ? null : request.waited().toMillis(),
                    request.token().isPresent() ? request.token().getAsLong() : null, request.key().orElse(null));
        }
    }

    static LockTableState of(NamedStructure table, LockView locks, List<LockState> busy) {
        return new LockTableState(table.name(), locks.locks(), table.configuration(),
                busy.stream().limit(MOST_BUSY).map(HeldLock::of).toList(),
                locks.hottest(MOST_HOT).stream().map(HeldLock::of).toList());
    }
}
