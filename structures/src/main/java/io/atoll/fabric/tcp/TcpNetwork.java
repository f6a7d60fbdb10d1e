package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Links;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How threads reach ranks: by memory that is mapped here, or by a lane. Knows nothing of the fabric: what a thread has,
 * and leads here, must not lead back to where it is kept. Else it would stay as long as its thread does.
 *
 * @param nears by rank, the memory of those that are mapped here
 */
record TcpNetwork(AtomicReferenceArray<@Nullable LocalMemory> nears, Links<TcpLane> links) {

    /** Returns the rank's memory if it is mapped here, else null. */
    @Nullable LocalMemory near(int rank) {
        return nears.getOpaque(rank);
    }

    /** Returns the way of a thread to the words, if there are such words. */
    TcpLane lane(ThreadLanes<TcpLane> thread, int rank, String verb, long offset, long bytes) {
        return links.lane(thread, rank, verb, offset, bytes);
    }

    /** Returns the failure, which says then what structure was accessed. */
    FabricException named(FabricException failure) {
        return links.named(failure);
    }
}
