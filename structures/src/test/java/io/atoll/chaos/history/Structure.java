package io.atoll.chaos.history;

/** The structure that an operation uses. */
public enum Structure {
    LONG_MAP, FIXED_MAP, TEXT_MAP, LONG_ARRAY, ELEMENT_ARRAY, FILTER, CIRCULAR_QUEUE, LINKED_QUEUE, STACK, ALOCK, MCS, SPIN, EPOCHS, WINDOW, EXCHANGE, FAST_QUEUE, BUFFER
}
