package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/**
 * A rank's segment as {@link Endpoint#mapped(int)} has it at any time, for who uses one segment again and again: it is asked for once, and from then on it is one load away.
 */
public final class MappedSegment {

    // Plain: an access of shared memory acquires or releases, so a change is seen by a later one of any thread, if not by the one under way.
    private @Nullable LocalMemory memory;

    MappedSegment() {}

    /** What loads and stores are as good as verbs on, at the moment; null where they are not. */
    public @Nullable LocalMemory memory() {
        return memory;
    }

    void map(@Nullable LocalMemory present) {
        memory = present;
    }
}
