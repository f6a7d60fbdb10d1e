package io.atoll.fabric.rdma;

import org.jspecify.annotations.Nullable;

/**
 * Where a process is reached: an address of IP, by which the device is found, too. Peers learn it from the membership or, on one host, from the segment.
 *
 * @param device its name as in {@code /sys/class/infiniband}, such as {@code mlx5_0}; null for the first
 * @param devicePort of the device, from 1
 * @param gidIndex entry of the port's table of addresses; null for the first with an address of IPv4
 * @param host the address itself, instead of device and table; needed with InfiniBand whose interface is not on the same card
 * @param port where rank 0 listens, rank r listens r above; 0 for any
 */
public record Place(@Nullable String device, int devicePort, @Nullable Integer gidIndex, @Nullable String host,
        int port) {

    /** The first device with an address. */
    public static final Place FIRST = new Place(null, 1, null, null, 0);

    public Place {
        if (devicePort < 1) {
            throw new IllegalArgumentException("a device's ports are counted from 1: devicePort=" + devicePort);
        }
        if (gidIndex != null && gidIndex < 0) {
            throw new IllegalArgumentException("the table of addresses begins at 0: gidIndex=" + gidIndex);
        }
        if (port < 0 || port > 0xFFFF) {
            throw new IllegalArgumentException("ports run from 0 to 65535: port=" + port);
        }
    }
}
