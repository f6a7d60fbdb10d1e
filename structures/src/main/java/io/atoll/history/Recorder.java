package io.atoll.history;

/** Writes the history of this rank. */
public final class Recorder {}
