package io.atoll.fabric.link;

import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a thread: the same one to each rank, so that its verbs keep their order. Tells the thread of its writes
 * that were lost, before its next verb to that rank, and of everybody's when it flushes. For one thread at a time.
 *
 * @param <L> a lane
 */
public final class ThreadLanes<L extends Lane> {

    private final int index;
    private final AtomicReferenceArray<@Nullable Link<L>> links; // used, by rank: others once a segment was lost
    private final AtomicReferenceArray<@Nullable L> last; // used, by rank; an array of a type parameter
    private final int[] told; // losses of the link to each rank that the thread knows of

    /** @param index of the lane that the thread uses */
    public ThreadLanes(int index, int size) {
        this.index = index;
        this.links = new AtomicReferenceArray<>(size);
        this.last = new AtomicReferenceArray<>(size);
        this.told = new int[size];
    }

    /**
     * Returns the way to a rank.
     *
     * @throws RankUnreachableException when there is none, or when writes of this thread were lost
     */
    public L lane(Link<L> link, int rank, String verb, long offset) {
        note(link, rank);
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

    /** What was lost before its first use does not concern the thread, nor what was written to a segment that is lost. */
    private void note(Link<L> link, int rank) {
        if (links.getPlain(rank) != link) {
            links.setPlain(rank, link);
            last.setPlain(rank, null);
            told[rank] = link.losses();
        }
    }

    /**
     * Returns when every write of every thread of this process to the rank has arrived. Each thread is told once of
     * writes that were lost, whoever wrote them: others may rely on its flush.
     *
     * @throws RankUnreachableException when the rank is not there, or when writes were lost
     */
    public void flush(Link<L> link, int rank) {
        note(link, rank);
        link.flush();
        int losses = link.losses();
        int known = Math.max(told[rank], link.formerLosses());
        told[rank] = losses;
        if (losses != known) {
            throw new RankUnreachableException(
                    "earlier writes may be lost, since the connection broke, repeat what wrote them", "flush", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }
}
