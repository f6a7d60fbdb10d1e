package io.atoll.fabric.rdma;

import org.jspecify.annotations.Nullable;

/**
 * The place at which a process is reached: an IP address, which also tells the device. Other ranks learn it from the
 * membership or, on one host, from the segment.
 *
 * @param device its name as in {@code /sys/class/infiniband}, such as {@code mlx5_0}; null for the first device
 * @param devicePort the port of the device, from 1
 * @param gidIndex the entry of the port's table of addresses; null for the first entry with an IPv4 address
 * @param host the address itself, instead of device and table; needed for InfiniBand if its interface is not on the
 * same card
 * @param port where rank 0 listens; rank r listens at port + r; 0 for any port
 */
public record RdmaAddress(@Nullable String device, int devicePort, @Nullable Integer gidIndex, @Nullable String host,
        int port) {

    /** The first device with an address. */
    public static final RdmaAddress FIRST = new RdmaAddress(null, 1, null, null, 0);

    public RdmaAddress {
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

    /** Returns the same place, but at this device; null for the first device. */
    public RdmaAddress device(@Nullable String name) {
        return new RdmaAddress(name, devicePort, gidIndex, host, port);
    }
}
