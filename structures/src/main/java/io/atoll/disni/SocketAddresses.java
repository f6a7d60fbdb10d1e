package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * IP addresses as C stores them. Port and address are in network order.
 * <pre>
 *   sockaddr_in:   0            2          4          8              16
 *                  +------------+----------+----------+---------------+
 *                  | sin_family | sin_port | sin_addr |       0       |
 *                  +------------+----------+----------+---------------+
 *   sockaddr_in6:  0             2           4               8           24              28
 *                  +-------------+-----------+---------------+-----------+---------------+
 *                  | sin6_family | sin6_port | sin6_flowinfo | sin6_addr | sin6_scope_id |
 *                  +-------------+-----------+---------------+-----------+---------------+
 * </pre>
 */
final class SocketAddresses {

    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    static final StructLayout IPV4 = MemoryLayout.structLayout( //
            JAVA_SHORT.withName("sin_family"), //
            NETWORK_SHORT.withName("sin_port"), //
            MemoryLayout.sequenceLayout(4, JAVA_BYTE).withName("sin_addr"), //
            Offsets.unused(8)).withName("sockaddr_in");

    static final StructLayout IPV6 = MemoryLayout.structLayout( //
            JAVA_SHORT.withName("sin6_family"), //
            NETWORK_SHORT.withName("sin6_port"), //
            JAVA_INT.withName("sin6_flowinfo"), //
            MemoryLayout.sequenceLayout(16, JAVA_BYTE).withName("sin6_addr"), //
            JAVA_INT.withName("sin6_scope_id")).withName("sockaddr_in6");

    /** The size of {@code sockaddr_storage}, the longest address, in bytes. */
    public static final long LONGEST_BYTES = 128;

    static final short AF_INET = 2;
    static final short AF_INET6 = 10;

    private static final long FAMILY = Offsets.of(IPV4, "sin_family");
    private static final long PORT = Offsets.of(IPV4, "sin_port");
    private static final long IPV4_ADDRESS = Offsets.of(IPV4, "sin_addr");
    private static final long IPV6_ADDRESS = Offsets.of(IPV6, "sin6_addr");
    private static final long IPV6_SCOPE = Offsets.of(IPV6, "sin6_scope_id");

    private SocketAddresses() {}

    /**
     * Returns the address as C expects it, or the null pointer for no address.
     *
     * @throws IllegalArgumentException if it is not an IP address, or the name of its host was not resolved
     */
    public static MemorySegment write(@Nullable SocketAddress address, SegmentAllocator allocator) {
        if (address == null) {
            return MemorySegment.NULL;
        }
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IllegalArgumentException("a resolved address of IP is needed: address=" + address);
        }
        boolean six = internet.getAddress() instanceof Inet6Address;
        MemorySegment struct = allocator.allocate(six ? IPV6 : IPV4).fill((byte) 0);
        struct.set(JAVA_SHORT, FAMILY, six ? AF_INET6 : AF_INET);
        struct.set(NETWORK_SHORT, PORT, (short) internet.getPort());
        byte[] bytes = internet.getAddress().getAddress();
        MemorySegment.copy(bytes, 0, struct, JAVA_BYTE, six ? IPV6_ADDRESS : IPV4_ADDRESS, bytes.length);
        if (internet.getAddress() instanceof Inet6Address ipv6) {
            struct.set(JAVA_INT, IPV6_SCOPE, ipv6.getScopeId());
        }
        return struct;
    }

    /** Returns the address that C has written, or null if it has written none. */
    public static @Nullable InetSocketAddress read(MemorySegment struct) {
        return switch (struct.get(JAVA_SHORT, FAMILY)) {
            case AF_INET -> address(struct.asSlice(IPV4_ADDRESS, 4), port(struct), 0);
            case AF_INET6 -> address(struct.asSlice(IPV6_ADDRESS, 16), port(struct), struct.get(JAVA_INT, IPV6_SCOPE));
            default -> null;
        };
    }

    private static int port(MemorySegment struct) {
        return Short.toUnsignedInt(struct.get(NETWORK_SHORT, PORT));
    }

    private static InetSocketAddress address(MemorySegment bytes, int port, int scope) {
        try {
            byte[] raw = bytes.toArray(JAVA_BYTE);
            InetAddress address = scope == 0
                    ? InetAddress.getByAddress(raw)
                    : Inet6Address.getByAddress(null, raw, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("addresses have 4 or 16 bytes", impossible);
        }
    }
}
