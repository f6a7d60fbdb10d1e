package io.atoll.fabric;

/** The operations of a process on a segment. */
public enum Verb {
    READ, WRITE, COMPARE_AND_EXCHANGE, GET_AND_SET, GET_AND_ADD, GET_AND_BITWISE_OR, FLUSH
}
