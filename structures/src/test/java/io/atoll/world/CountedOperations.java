package io.atoll.world;

/** Counts as structures do, for tests that have no structure. */
public final class CountedOperations {

    private CountedOperations() {}

    /** Counts that many operations on the structure. */
    public static void add(Operations operations, String structure, long times) {
        OperationCounter.add(operations.counter(structure).cells(), times);
    }
}
