package io.atoll.chaos.history;

/** The kinds of operations. The comments describe the key, argument, second and result of an {@link Entry}. */
public enum Verb {
    /** Opens the structure, or is a search that no checker judges. */
    OPEN,
    /** Register: returns the value, or {@link Entry#ABSENT}. */
    FIND,
    /** Register: stores the argument; returns 1 if there was no value. */
    PUT,
    /** Register: stores the argument if there is no value; returns 1 if so. */
    INSERT,
    /** Register: stores the argument; returns the value before. */
    GET_AND_PUT,
    /** Register: stores the argument if there is a value; returns the value before. */
    REPLACE,
    /** Register: adds the argument to the value, or to 0; returns the sum. */
    INCREMENT,
    /** Register: adds the argument; returns the value before. */
    GET_AND_ADD,
    /** Register: stores the second if the value is the argument; returns 1 if so. */
    COMPARE_AND_SET,
    /** Register: stores the second if the value is the argument; returns the value before. */
    COMPARE_AND_EXCHANGE,
    /** Register: removes the value; returns the value before. */
    REMOVE,
    /** Register: stores the argument; returns nothing. Atomic object: makes it refer to the argument. */
    SET,
    /**
     * Atomic object: makes it refer to the second if it refers to the argument, however often it was changed; returns 1
     * if so.
     */
    SWAP,
    /** Filter: returns 1 if the key was new. */
    ADD,
    /** Filter: returns 1 if the key may be there. */
    CONTAINS,
    /**
     * Queue, stack: pushes the argument; returns 1 if there was room. The second is 0, or the same number for all
     * elements that are pushed at once: the larger value is behind the smaller one. For a fast queue the key is the
     * round.
     */
    PUSH,
    /**
     * Queue, stack: returns the value, or {@link Entry#ABSENT}. The second is 0, or the same number for all elements
     * that are taken at once: the argument is the place among them. For a fast queue the key is the round.
     */
    POP,
    /** Lock: the key is its index; returns the token, or {@link Entry#ABSENT}; extra is 1 if the lock was recovered. */
    ACQUIRE,
    /** Lock: the argument is the token. */
    RELEASE,
    /**
     * Epochs: returns 0 if the object at the argument was whole as long as it was pinned. Window: returns the least
     * word; extra is the largest minus the least; the key is the place.
     */
    READ,
    /** Window: the argument is the value of all words; the key is the place. It is done when it is complete. */
    SEND,
    /**
     * Exchange, reduction: the key is the contribution that this call has seen, the argument the digest of all
     * contributions.
     */
    SEE,
    /** A round of all ranks is known to have ended well everywhere. The key is the round. */
    CLEAN
}
