package io.atoll.fabric;

import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;

/** A kind of fabric with its settings, before a process takes its place on it. */
public interface FabricType {

    /** Returns the name in configuration and messages, such as {@code shared-memory}. */
    String name();

    /**
     * Returns true if a rank's address would lead only processes of this host to it. The world asks if the membership
     * finds ranks of other hosts.
     */
    default boolean isReachedFromThisHostOnly() {
        return false;
    }

    /**
     * Claims a rank and makes its segment, with every byte of it allocated.
     *
     * @param rank the rank to claim; without one the fabric takes the first free rank, where it can tell
     * @param segmentBytes a multiple of 4096
     * @throws io.atoll.failure.JoinRefusedException if the rank is taken, the memory is not available, or the fabric is
     * not usable; nothing is left behind
     * @throws io.atoll.failure.LayoutMismatchException if a segment is in the way that is not this world's; it is left
     * as it is
     */
    Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes);
}
