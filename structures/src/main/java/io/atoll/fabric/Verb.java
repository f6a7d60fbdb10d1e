package io.atoll.fabric;

/** What a process can do with a segment. */
public enum Verb {
    READ, WRITE, COMPARE_AND_EXCHANGE, GET_AND_SET, GET_AND_ADD, GET_AND_BITWISE_OR, FLUSH
}
