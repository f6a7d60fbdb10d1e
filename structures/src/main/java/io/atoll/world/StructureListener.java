package io.atoll.world;

/** Is told what seldom happens to structures, by the process that has done or noticed it. Called by any thread: must neither wait nor throw. */
@FunctionalInterface
public interface StructureListener {

    /** What may happen. */
    enum Happening {
        /** A map has gone on in more buckets at one of its ranks. */
        GROWN,
        /** A queue has gone on in another ring. */
        MOVED,
        /** An operation was refused: it and another, at that rank, break what one of their callers has promised. */
        PROMISE_BROKEN
    }

    /** Nobody is told. */
    StructureListener NONE = (_, _, _, _) -> {};

    /**
     * @param structure its name
     * @param rank where it has happened
     * @param change from what to what, or what broke which promise
     */
    void happened(Happening what, String structure, int rank, String change);
}
