package io.atoll.fabric.verbs.link;

/**
 * Where a rank's segment is for a device.
 *
 * @param address where it begins, in its owner's own addresses
 * @param key by which the owner's device knows that others may reach it
 */
public record RemoteSegment(long address, long bytes, int key) {}
