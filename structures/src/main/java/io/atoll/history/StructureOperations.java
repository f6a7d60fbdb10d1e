package io.atoll.history;

import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The operations of a rank's process on structures, as it has written them last; see {@link io.atoll.world.Operations}
 * for what counts as one.
 *
 * @param atMillis when it has written them, since 1970
 * @param intervalMillis the time that lately covers; 0 if the process had just begun, or has written nothing
 * @param listed structures that were most active, the most active first
 * @param others all other structures together
 */
public record StructureOperations(long atMillis, long intervalMillis, List<Listed> listed, Counts others) {

    /** The operations if none have been written. */
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

    /** Returns the operations a second, in the interval. Returns empty if the interval is not known. */
    public OptionalDouble perSecond(Counts counts) {
        return intervalMillis <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(counts.lately() * 1_000.0 / intervalMillis);
    }

    /** Returns true if the list has all structures that the process has ever used. */
    public boolean isComplete() {
        return others.total() == 0;
    }
}
