package io.atoll.chaos.history;

/** What an operation does. The comments say what key, argument, second and result of an {@link Entry} are. */
public enum Verb {
    /** Opens the structure, or looks for something that no checker judges. */
    OPEN,
    /** Register: the value, or {@link Entry#ABSENT}. */
    FIND,
    /** Register: stores the argument; 1 if there was no value. */
    PUT,
    /** Register: stores the argument if there is no value; 1 if so. */
    INSERT,
    /** Register: stores the argument; the value before. */
    GET_AND_PUT,
    /** Register: stores the argument if there is a value; the value before. */
    REPLACE,
    /** Register: adds the argument to the value, or to 0; the sum. */
    INCREMENT,
    /** Register: adds the argument; the value before. */
    GET_AND_ADD,
    /** Register: stores the second if the value is the argument; 1 if so. */
    COMPARE_AND_SET,
    /** Register: stores the second if the value is the argument; the value before. */
    COMPARE_AND_EXCHANGE,
    /** Register: removes the value; the value before. */
    REMOVE,
    /** Register: stores the argument; returns nothing. Atomic object: makes it refer to the argument. */
    SET,
    /** Atomic object: refers to the second if it refers to the argument, however often it was changed; 1 if so. */
    SWAP,
    /** Filter: 1 if the key was new. */
    ADD,
    /** Filter: 1 if the key may be there. */
    CONTAINS,
    /**
     * Queue, stack: the argument; 1 if there was room. The second is 0, or tells which were pushed at once: the larger
     * value is behind the smaller one. Key: the round, of a fast queue.
     */
    PUSH,
    /**
     * Queue, stack: the value, or {@link Entry#ABSENT}. The second is 0, or tells which were taken at once: the
     * argument is the place among them. Key: the round, of a fast queue.
     */
    POP,
    /** Lock: the key is its index; the token, or {@link Entry#ABSENT}; extra is 1 if it was recovered. */
    ACQUIRE,
    /** Lock: the argument is the token. */
    RELEASE,
    /**
     * Epochs: 0 if the object at the argument was whole as long as it was pinned. Window: the least word, extra is the
     * largest minus it; the key is the place.
     */
    READ,
    /** Window: the argument is what all words are; the key is the place. Done when it is complete. */
    SEND,
    /** Exchange, reduction: the key is the contribution that this call has seen, the argument the digest of all. */
    SEE,
    /** A round of all ranks, the key, that is known to have ended well everywhere. */
    CLEAN
}
