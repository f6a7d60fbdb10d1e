package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/**
 * A rank's segment as {@link Endpoint#mapped(int)} has it at any time. A caller that uses one segment again and again
 * asks for this object once. From then on the segment is one load away.
 */
public final class MappedSegment {

    // Plain: an access of shared memory acquires or releases. So a later access of any thread sees a change, though the
    // one under way may not.
    private @Nullable LocalMemory memory;

    MappedSegment() {}

    /**
     * Returns the memory on which loads and stores are as good as verbs at the moment. Returns null if there is none.
     */
    public @Nullable LocalMemory memory() {
        return memory;
    }

    void map(@Nullable LocalMemory present) {
        memory = present;
    }
}
