package io.atoll.spring.state;

/**
 * An application event: this process acts by another view of the world, since a rank has come or was removed. Published by a
 * thread of its own, so a listener may take its time. Where views follow each other fast, only the last one is told.
 *
 * @param world its name
 * @param rank of this process
 * @param view by which it acts now
 */
public record ViewChangedEvent(String world, int rank, ViewState view) {}
