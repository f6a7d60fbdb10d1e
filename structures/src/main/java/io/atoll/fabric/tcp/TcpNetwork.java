package io.atoll.fabric.tcp;

import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The ways by which threads reach ranks: by memory that is mapped here, or by a lane. This class does not refer to the
 * fabric. A thread keeps objects that lead here. They must not lead back to the place where they are kept: they would
 * then live as long as the thread.
 *
 * @param nears by rank, the memory of the ranks that are mapped here
 */
record TcpNetwork(AtomicReferenceArray<@Nullable LocalMemory> nears, PeerConnections<TcpLane> peerConnections) {

    /** Returns the rank's memory if it is mapped here, or null. */
    @Nullable LocalMemory near(int rank) {
        return nears.getOpaque(rank);
    }

    /** Returns the lane of a thread to these words. Fails if the rank's segment has no such words. */
    TcpLane lane(ThreadLanes<TcpLane> thread, int rank, String verb, long offset, long bytes) {
        return peerConnections.lane(thread, rank, verb, offset, bytes);
    }

    /** Returns the failure, extended by the name of the structure that was accessed. */
    FabricException named(FabricException failure) {
        return peerConnections.named(failure);
    }
}
