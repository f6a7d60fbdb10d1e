package io.atoll.fabric.tcp;

import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The two ways by which threads reach a rank. A rank is near if its segment is mapped into this process: then a thread
 * uses its memory. Otherwise a thread uses a lane. This class does not refer to the fabric. Each thread keeps objects
 * that refer to this class, and would otherwise keep the fabric, too.
 *
 * @param mapped by rank, the memory of near ranks; null for the others
 */
record TcpNetwork(AtomicReferenceArray<@Nullable LocalMemory> mapped, PeerConnections<TcpLane> peerConnections) {

    /** Returns the rank's memory if the rank is near, or null. */
    @Nullable LocalMemory near(int rank) {
        return mapped.getOpaque(rank);
    }

    /** Returns the lane of a thread to these words. Throws if the rank's segment has no such words. */
    TcpLane lane(ThreadLanes<TcpLane> thread, int rank, String verb, long offset, long bytes) {
        return peerConnections.lane(thread, rank, verb, offset, bytes);
    }

    /** Returns the failure, extended by the name of the structure that was accessed. */
    FabricException named(FabricException failure) {
        return peerConnections.named(failure);
    }
}
