package io.atoll.promise;

/**
 * A caller's promise about the operations that run at the same time as its own. It makes a cheaper way correct (BCL,
 * section 7, tables 3 and 4). The type of an operation's parameter tells which promises fit it. A push that is promised
 * to be among pops does not compile. Each operation documents what a promise saves. A promise that saves nothing is
 * allowed, too.
 *
 * <p>A broken promise makes results wrong, but does not harm memory. To find broken promises, use
 * {@code checkedPromises} of a structure's builder.
 */
public sealed interface Promise {

    /** Returns no promise: all ranks may do anything. */
    static Any nothing() {
        return Any.NOTHING;
    }

    /** Returns the promise that all ranks only read between the barriers before and after. */
    static Reading onlyReads() {
        return OnlyReads.ONLY_READS;
    }

    /** Returns the promise that all ranks only insert between the barriers before and after. */
    static Inserting onlyInserts() {
        return OnlyInserts.ONLY_INSERTS;
    }

    /** Returns the promise that all ranks only push between the barriers before and after. */
    static Pushing onlyPushes() {
        return OnlyPushes.ONLY_PUSHES;
    }

    /** Returns the promise that all ranks only pop between the barriers before and after. */
    static Popping onlyPops() {
        return OnlyPops.ONLY_POPS;
    }

    /**
     * Returns a promise for the time between the barriers before and after. Only one thread of each rank uses the
     * structure, and only what lies in that rank's own segment.
     */
    static Any local() {
        return Any.LOCAL;
    }

    /** A promise that a caller may make with a read. */
    sealed interface Reading extends Promise {}

    /** A promise that a caller may make with an insertion. */
    sealed interface Inserting extends Promise {}

    /** A promise that a caller may make with a push. */
    sealed interface Pushing extends Promise {}

    /** A promise that a caller may make with a pop. */
    sealed interface Popping extends Promise {}

    /** A promise that a caller may make with any of these operations. */
    enum Any implements Reading, Inserting, Pushing, Popping {
        NOTHING, LOCAL
    }

    /** @see #onlyReads */
    enum OnlyReads implements Reading {
        ONLY_READS
    }

    /** @see #onlyInserts */
    enum OnlyInserts implements Inserting {
        ONLY_INSERTS
    }

    /** @see #onlyPushes */
    enum OnlyPushes implements Pushing {
        ONLY_PUSHES
    }

    /** @see #onlyPops */
    enum OnlyPops implements Popping {
        ONLY_POPS
    }
}
