package io.atoll.chaos.history;

/** The structure that an operation uses. */
public enum Structure {
    LONG_MAP, FIXED_MAP, TEXT_MAP, LONG_ARRAY, ELEMENT_ARRAY, HOSTED_ARRAY, FILTER, CIRCULAR_QUEUE, //
    LONG_QUEUE, LINKED_QUEUE, STACK, //
    ALOCK, MCS, SPIN, EPOCHS, WINDOW, EXCHANGE, FAST_QUEUE, BUFFER, ATOMIC_OBJECT, COUNTER, REDUCTION;

    /** Returns true if its operations wait for those of all other ranks, however late these begin to work. */
    public boolean waitsForAll() {
        return this == EXCHANGE || this == REDUCTION;
    }
}
