package io.atoll.history;

/** Where a history was read. */
public enum Origin {
    /** In the segment of its rank, by the fabric. */
    LIVE,
    /** In the file that a process of this host has left when it was killed. */
    FILE
}
