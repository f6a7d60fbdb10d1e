package io.atoll.fabric;

import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;

/** A kind of fabric with its settings, before a process takes its place on it. */
public interface FabricType {

    /** As configuration and messages name it, such as {@code shared-memory}. */
    String name();

    /**
     * Returns whether only processes of this host would reach a rank by what it tells others. Asked where the membership
     * finds ranks of other hosts.
     */
    default boolean isReachedFromThisHostOnly() {
        return false;
    }

    /**
     * Claims a rank and makes its segment, every byte of it there.
     *
     * @param rank the rank to claim; without one the fabric takes the first that is free, where it can tell
     * @param segmentBytes a multiple of 4096
     * @throws io.atoll.failure.JoinRefusedException when the rank is taken, the memory not there, or the fabric not usable; nothing is left behind
     * @throws io.atoll.failure.LayoutMismatchException when a segment is in the way that is not this world's; it is left as it is
     */
    Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes);
}
