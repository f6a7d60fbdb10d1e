package io.atoll.fabric.link;

import io.atoll.failure.RankUnreachableException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a thread: the same one to each rank, so that its verbs keep their order. Tells the thread of writes that
 * were lost, before its next verb to that rank. For one thread at a time.
 *
 * @param <L> a lane
 */
public final class ThreadLanes<L extends Lane> {

    private final int index;
    private final AtomicReferenceArray<@Nullable L> last; // used, by rank; an array of a type parameter

    /** @param index of the lane that the thread uses */
    public ThreadLanes(int index, int size) {
        this.index = index;
        this.last = new AtomicReferenceArray<>(size);
    }

    /**
     * Returns the way to a rank.
     *
     * @throws RankUnreachableException when there is none, or when writes of this thread were lost
     */
    public L lane(Link<L> link, int rank, String verb, long offset) {
        L before = last.getPlain(rank);
        // Where there is no way, that tells of what was lost, too.
        last.setPlain(rank, null);
        L lane = link.lane(index, verb, offset);
        last.setPlain(rank, lane);
        if (lane != before && before != null && before.hasLostWrites()) {
            throw new RankUnreachableException(
                    "an earlier write may be lost, since the connection broke, repeat what wrote it", verb, rank,
                    offset);
        }
        return lane;
    }
}
