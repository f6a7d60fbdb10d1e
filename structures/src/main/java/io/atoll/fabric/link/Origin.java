package io.atoll.fabric.link;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The origin of connections: an IPv4 address, or an IPv6 network. The owner of one IPv6 address mostly has all
 * addresses with the same first 64 bits. So these count as one origin. An IPv4 address written as an IPv6 address
 * counts as that IPv4 address.
 *
 * @param network the address; for IPv6 all bits after the first 64 are 0
 */
public record Origin(InetAddress network) {

    private static final int PREFIX_BYTES = 8;
    private static final int MAPPED_BYTES = 12; // before the IPv4 address: ten bytes of 0, two of 0xff

    /** @param address null if it is unknown; all unknown ones count as one origin */
    public static Origin of(@Nullable InetAddress address) {
        if (address == null) {
            return new Origin(new InetSocketAddress(0).getAddress());
        }
        return new Origin(address instanceof Inet6Address ? network(address.getAddress()) : address);
    }

    private static InetAddress network(byte[] address) {
        byte[] bytes = isMapped(address)
                ? Arrays.copyOfRange(address, MAPPED_BYTES, address.length)
                : Arrays.copyOf(Arrays.copyOf(address, PREFIX_BYTES), address.length);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException wrongLength) {
            throw new IllegalStateException("an address of 4 or 16 bytes is refused", wrongLength);
        }
    }

    private static boolean isMapped(byte[] address) {
        for (int index = 0; index < MAPPED_BYTES; index++) {
            int expected = index < MAPPED_BYTES - 2 ? 0 : -1;
            if (address[index] != expected) {
                return false;
            }
        }
        return true;
    }

    /** Returns the origin as messages name it. */
    @Override
    public String toString() {
        return network.getHostAddress() + (network instanceof Inet6Address ? "/64" : "");
    }
}
