package io.atoll.world.directory;

/** Where in a segment something lies. */
public record Extent(long offset, long bytes) {}
