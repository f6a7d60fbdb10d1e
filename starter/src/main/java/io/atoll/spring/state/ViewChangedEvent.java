package io.atoll.spring.state;

/**
 * An application event: this process acts by another view of the world, since a rank has come or was removed. A
 * separate thread publishes it, so a listener may take its time. If views follow each other fast, only the last one is
 * published.
 *
 * @param world the name of the world
 * @param rank the rank of this process
 * @param view the view by which it acts now
 */
public record ViewChangedEvent(String world, int rank, ViewState view) {}
