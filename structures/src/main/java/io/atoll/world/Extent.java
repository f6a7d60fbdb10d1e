package io.atoll.world;

/** Where in a segment something lies. */
public record Extent(long offset, long bytes) {}
