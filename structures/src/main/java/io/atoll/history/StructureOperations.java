package io.atoll.history;

import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What a rank's process does with structures, as it has written last; see {@link io.atoll.world.Operations} for what is
 * one.
 *
 * @param atMillis when that was, since 1970
 * @param intervalMillis of what is counted as lately; 0 where the process had just begun, or has written nothing
 * @param listed structures that were most active, the most active first
 * @param others of all other structures together
 */
public record StructureOperations(long atMillis, long intervalMillis, List<Listed> listed, Counts others) {

    /** Where nothing has been written. */
    public static final StructureOperations NONE = new StructureOperations(0, 0, List.of(), new Counts(0, 0));

    /**
     * @param total since the process began
     * @param lately in the interval
     */
    public record Counts(long total, long lately) {}

    /** @param nameHash {@link NamedStructure#hash} of its name */
    public record Listed(long nameHash, Counts counts) {}

    public StructureOperations {
        listed = List.copyOf(listed);
    }

    /** Operations a second, in the interval; empty where it is not known. */
    public OptionalDouble perSecond(Counts counts) {
        return intervalMillis <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(counts.lately() * 1_000.0 / intervalMillis);
    }

    /** Whether all structures are listed that the process has ever used. */
    public boolean isComplete() {
        return others.total() == 0;
    }
}
