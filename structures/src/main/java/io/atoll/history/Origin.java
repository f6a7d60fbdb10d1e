package io.atoll.history;

/** The place where a history was read. */
public enum Origin {
    /** The segment of its rank, by the fabric. */
    LIVE,
    /** The file that a process of this host has left when it was killed. */
    FILE
}
