package io.atoll.world;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What this process does with each structure, in all its lives in the world. An operation is a call that finds,
 * changes,
 * pushes, pops, adds, waits for a lock, or takes part in a collective. It is counted as it begins, whatever comes of
 * it.
 * One of n keys, elements or words is n; one that goes through all of a structure is one. A pop of several is as many
 * as
 * came, one at least.
 *
 * <p>Any thread may ask.
 */
public final class Operations {

    private final Map<String, OperationCounter> byStructure = new ConcurrentHashMap<>();
    private final List<OperationCounter> all = new CopyOnWriteArrayList<>();

    /** That of the structure, made at the first call. */
    OperationCounter counter(String structure) {
        OperationCounter known = byStructure.get(structure);
        return known != null ? known : byStructure.computeIfAbsent(structure, this::begin);
    }

    private OperationCounter begin(String structure) {
        OperationCounter counter = new OperationCounter(structure);
        all.add(counter);
        return counter;
    }

    /** Those of the structures that were used, in the order in which they were first. What is there keeps its place. */
    public List<OperationCounter> counters() {
        return all;
    }

    /** Operations of this process on the structure since it has opened its world; 0 if it has not used it. */
    public long count(String structure) {
        OperationCounter known = byStructure.get(structure);
        return known == null ? 0 : known.count();
    }
}
