package io.atoll.fabric.metering;

import io.atoll.fabric.MappedSegment;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/** A mapped segment whose accesses are counted one by one, and not timed: a clock takes as long as what is done there. */
final class MeteredSegment extends MappedSegment {

    private final VerbCounts counts;
    private final Locality locality;

    MeteredSegment(VerbCounts counts, Locality locality) {
        this.counts = counts;
        this.locality = locality;
    }

    @Override
    public @Nullable LocalMemory memory(Verb verb) {
        LocalMemory memory = super.memory(verb);
        if (memory != null) {
            counts.count(verb, locality, 1);
        }
        return memory;
    }
}
