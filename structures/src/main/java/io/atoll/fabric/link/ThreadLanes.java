package io.atoll.fabric.link;

import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a thread: always the same one to each rank, so that its verbs keep their order. Threads share lanes, and
 * a lane that breaks does not know whose writes it has lost. So each of its threads is told of lost writes before its
 * next verb to that rank, though they may be another's. A flush tells of the lost writes of all threads. For one thread
 * at a time.
 *
 * @param <L> a lane
 */
public final class ThreadLanes<L extends Lane> {

    private final int index;
    // The connections used, by rank; one is replaced if its segment was lost.
    private final AtomicReferenceArray<@Nullable PeerConnection<L>> peerConnections;
    // The lanes used, by rank; a plain array cannot have a type parameter.
    private final AtomicReferenceArray<@Nullable L> last;
    private final int[] told; // by rank: the losses of the connection that the thread knows of

    /** @param index the number of the lane that the thread uses */
    public ThreadLanes(int index, int size) {
        this.index = index;
        this.peerConnections = new AtomicReferenceArray<>(size);
        this.last = new AtomicReferenceArray<>(size);
        this.told = new int[size];
    }

    /**
     * Returns the lane to a rank.
     *
     * @throws RankUnreachableException if there is no way to the rank, or if its lane has lost writes
     */
    public L lane(PeerConnection<L> peerConnection, int rank, String verb, long offset) {
        note(peerConnection, rank);
        L before = last.getPlain(rank);
        // If there is no way, that failure tells of the lost writes, too.
        last.setPlain(rank, null);
        L lane = peerConnection.lane(index, verb, offset);
        last.setPlain(rank, lane);
        if (lane != before && before != null && before.hasLostWrites()) {
            throw new RankUnreachableException(
                    "an earlier write may be lost, since the connection broke, repeat what wrote it", verb, rank,
                    offset);
        }
        return lane;
    }

    /**
     * Begins to use a connection. Losses before its first use do not concern the thread. Neither do writes to a segment
     * that is lost.
     */
    private void note(PeerConnection<L> peerConnection, int rank) {
        if (peerConnections.getPlain(rank) != peerConnection) {
            peerConnections.setPlain(rank, peerConnection);
            last.setPlain(rank, null);
            told[rank] = peerConnection.losses();
        }
    }

    /**
     * Waits until every write of every thread of this process to the rank has arrived. Tells each thread once of lost
     * writes, including those of other threads: others may rely on its flush.
     *
     * @throws RankUnreachableException if the rank is not there, or if writes were lost
     */
    public void flush(PeerConnection<L> peerConnection, int rank) {
        note(peerConnection, rank);
        peerConnection.flush();
        int losses = peerConnection.losses();
        int known = Math.max(told[rank], peerConnection.formerLosses());
        told[rank] = losses;
        if (losses != known) {
            throw new RankUnreachableException(
                    "earlier writes may be lost, since the connection broke, repeat what wrote them", "flush", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }
}
