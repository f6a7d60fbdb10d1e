package io.atoll.world;

/**
 * Is told about rare events of structures, by the process that has caused or noticed them. Any thread may call it: it
 * must neither wait nor throw.
 */
@FunctionalInterface
public interface StructureListener {

    /** What may happen. */
    enum Happening {
        /** A map continues in more buckets at one of its ranks. */
        GROWN,
        /** A queue continues in another ring. */
        MOVED,
        /**
         * An operation was refused: it and another one, at that rank, break what one of their callers has promised.
         */
        PROMISE_BROKEN
    }

    /** The listener that does nothing. */
    StructureListener NONE = (_, _, _, _) -> {};

    /**
     * @param structure its name
     * @param rank where it has happened
     * @param change from what to what, or which operation broke which promise
     */
    void happened(Happening what, String structure, int rank, String change);
}
