package io.atoll.epoch;

import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.Heap;
import io.atoll.heap.Runs;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * At which ranks runs of the heap wait to be freed, as far as this process knows. The runs themselves say since when
 * ({@link Heap#retire}). So a process that looks at a rank's heap also finds the runs that dead ranks have retired.
 */
final class RetiredRuns {

    /** After this many epochs a run that is retired now can be freed: it is retired in the next epoch. */
    static final int LONGEST = Runs.EPOCHS_OF_GRACE + 1;

    private static final long NONE = 0;
    private static final long LONG_AGO = 1;

    private Heap heap; // used by the one thread that frees
    private final AtomicLongArray since; // by owner: the earliest epoch that its runs say

    RetiredRuns(Heap heap, int ranks) {
        this.heap = heap;
        this.since = new AtomicLongArray(ranks);
    }

    /** From now on ranks are reached by that heap. Called by the thread that frees. */
    void reachBy(Heap renewed) {
        heap = renewed;
    }

    /**
     * Notes that runs of a rank wait since that epoch. An earlier note stays: otherwise runs that are retired all the
     * time would put off those that wait.
     */
    void add(int owner, long epoch) {
        since.accumulateAndGet(owner, epoch, RetiredRuns::earlier);
    }

    private static long earlier(long noted, long epoch) {
        return noted == NONE ? epoch : Math.min(noted, epoch);
    }

    /** Looks for runs at all ranks next time, whichever rank has retired them. */
    void lookEverywhere() {
        for (int owner = 0; owner < since.length(); owner++) {
            since.set(owner, LONG_AGO);
        }
    }

    /** Means nothing while {@link #free} is under way. */
    boolean isEmpty() {
        for (int owner = 0; owner < since.length(); owner++) {
            if (since.get(owner) != NONE) {
                return false;
            }
        }
        return true;
    }

    /**
     * Frees runs whose time has come. Called by one thread at a time. Runs of absent ranks are freed later.
     *
     * @param epoch of the world
     * @param asked reads the epoch of the world again
     * @return how many runs were freed
     */
    long free(long epoch, LongSupplier asked) {
        long freed = 0;
        for (int owner = 0; owner < since.length(); owner++) {
            long earliest = since.get(owner);
            if (earliest != NONE && epoch >= earliest + Runs.EPOCHS_OF_GRACE
                    && since.compareAndSet(owner, earliest, NONE)) {
                freed += free(owner, epoch, asked);
            }
        }
        return freed;
    }

    /** Whatever ends the sweep early, the rank is noted again. */
    private long free(int owner, long epoch, LongSupplier asked) {
        long again = epoch;
        try {
            Runs.Sweep sweep = heap.freeRetired(owner, asked);
            // The next epoch looks again at a run that could be freed but is still known to some thread.
            again = sweep.waiting() == 0 ? NONE : epoch - Math.min(sweep.longest(), Runs.EPOCHS_OF_GRACE - 1);
            return sweep.freed();
        } catch (RankUnreachableException gone) {
            return 0;
        } finally {
            if (again != NONE) {
                add(owner, again);
            }
        }
    }
}
