package io.atoll.promise;

/**
 * What a caller promises about the operations that run at the same time as its own, so that a cheaper way is right (BCL, section 7, tables 3 and 4). Which promises fit an operation its
 * parameter's type says: a push that is promised to be among pops does not compile. What a promise saves stands at the operation; one that saves nothing can be made all the same.
 *
 * <p>A promise that is broken makes results wrong, not memory; {@code checkedPromises} of a structure's builder finds such.
 */
public sealed interface Promise {

    /** Anyone may do anything. */
    static Any nothing() {
        return Any.NOTHING;
    }

    /** Between the barriers before and after, all ranks only find. */
    static Finding onlyFinds() {
        return OnlyFinds.ONLY_FINDS;
    }

    /** Between the barriers before and after, all ranks only insert. */
    static Inserting onlyInserts() {
        return OnlyInserts.ONLY_INSERTS;
    }

    /** Between the barriers before and after, all ranks only push. */
    static Pushing onlyPushes() {
        return OnlyPushes.ONLY_PUSHES;
    }

    /** Between the barriers before and after, all ranks only pop. */
    static Popping onlyPops() {
        return OnlyPops.ONLY_POPS;
    }

    /** Between the barriers before and after, only one thread of each rank uses the structure, and only what lies in that rank's own segment. */
    static Any local() {
        return Any.LOCAL;
    }

    /** What can be promised with a find. */
    sealed interface Finding extends Promise {}

    /** What can be promised with an insertion. */
    sealed interface Inserting extends Promise {}

    /** What can be promised with a push. */
    sealed interface Pushing extends Promise {}

    /** What can be promised with a pop. */
    sealed interface Popping extends Promise {}

    /** What can be promised with any of them. */
    enum Any implements Finding, Inserting, Pushing, Popping {
        NOTHING, LOCAL
    }

    /** @see #onlyFinds */
    enum OnlyFinds implements Finding {
        ONLY_FINDS
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
