package io.atoll.promise;

/**
 * An operation of a structure together with what its caller promises of the others (BCL, section 7). Those of one kind of structure are
 * the constants of an enum, at most eight.
 */
public interface Use {

    /** Which use an operation is, by what is promised with it. */
    static <U extends Use> U of(Promise promise, U ofNothing, U ofOnlyItsKind, U local) {
        if (promise == Promise.local()) {
            return local;
        }
        return promise == Promise.nothing() ? ofNothing : ofOnlyItsKind;
    }

    /** The enum's. */
    int ordinal();

    /** The enum's. */
    String name();

    /** What the operation is, as bits. */
    int operation();

    /** The operations that others may do between the barriers before and after, as bits. */
    int allowed();

    /** Whether each rank's is promised to be one thread's. */
    default boolean isOfOneThread() {
        return false;
    }

    /** Whether one breaks what the caller of the other has promised. */
    default boolean conflictsWith(Use other) {
        return (operation() & ~other.allowed()) != 0 || (other.operation() & ~allowed()) != 0;
    }
}
