package io.atoll.promise;

/**
 * An operation of a structure, together with the promise of its caller about other operations (BCL, section 7). The
 * uses of one kind of structure are the constants of an enum, at most eight.
 */
public interface Use {

    /** Returns the use that an operation is with that promise. */
    static <U extends Use> U of(Promise promise, U ofNothing, U ofOnlyItsKind, U local) {
        if (promise == Promise.local()) {
            return local;
        }
        return promise == Promise.nothing() ? ofNothing : ofOnlyItsKind;
    }

    /** The enum's method. */
    int ordinal();

    /** The enum's method. */
    String name();

    /** Returns the kind of the operation, as bits. */
    int operation();

    /** Returns the operations that others may do between the barriers before and after, as bits. */
    int allowed();

    /** Returns true if the uses at each rank are promised to come from one thread. */
    default boolean isOfOneThread() {
        return false;
    }

    /** Returns true if one of the two uses breaks what the caller of the other has promised. */
    default boolean conflictsWith(Use other) {
        return (operation() & ~other.allowed()) != 0 || (other.operation() & ~allowed()) != 0;
    }
}
