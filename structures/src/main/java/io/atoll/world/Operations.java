package io.atoll.world;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counts what this process does with each structure, in all its lives in the world. An operation is a call that finds,
 * changes, pushes, pops, adds, locks, or takes part in a collective. It is counted when it begins, whatever its
 * outcome. A call for n keys, elements or words counts as n. A call that goes through all of a structure counts as one.
 * A pop of several elements counts those that came, at least one.
 *
 * <p>Any thread may ask.
 */
public final class Operations {

    private final Map<String, OperationCounter> byStructure = new ConcurrentHashMap<>();
    private final List<OperationCounter> all = new CopyOnWriteArrayList<>();

    /** Returns the counter of the structure, and makes it at the first call. */
    OperationCounter counter(String structure) {
        OperationCounter known = byStructure.get(structure);
        return known != null ? known : byStructure.computeIfAbsent(structure, this::begin);
    }

    private OperationCounter begin(String structure) {
        OperationCounter counter = new OperationCounter(structure);
        all.add(counter);
        return counter;
    }

    /**
     * Returns the counters of all structures that were used, in the order of their first use. An existing counter keeps
     * its place.
     */
    public List<OperationCounter> counters() {
        return all;
    }

    /**
     * Returns how many operations on the structure this process has begun since it opened its world. Returns 0 if it
     * has not used the structure.
     */
    public long count(String structure) {
        OperationCounter known = byStructure.get(structure);
        return known == null ? 0 : known.count();
    }
}
