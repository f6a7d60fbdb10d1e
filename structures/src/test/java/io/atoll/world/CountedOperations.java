package io.atoll.world;

/** Counts as structures do, for tests that have none. */
public final class CountedOperations {

    private CountedOperations() {}

    /** Counts so many of the structure. */
    public static void add(Operations operations, String structure, long times) {
        OperationCounter.add(operations.counter(structure).cells(), times);
    }
}
