package io.atoll.world;

/** Where something lies in a segment. */
public record Extent(long offset, long bytes) {}
