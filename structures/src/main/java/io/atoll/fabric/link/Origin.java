package io.atoll.fabric.link;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where connections come from: an address of IPv4, or a network of IPv6. Whoever has one address of IPv6 mostly has all
 * whose first 64 bits are the same. So these count as one. An address of IPv4 that is written as one of IPv6 is that
 * of IPv4.
 *
 * @param network the address; of IPv6 with bits of 0 behind the first 64
 */
public record Origin(InetAddress network) {

    private static final int PREFIX_BYTES = 8;
    private static final int MAPPED_BYTES = 12; // before the address of IPv4: ten of 0, two of 0xff

    /** @param address null where it is not known: all of those count as one */
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

    /** Returns it as messages name it. */
    @Override
    public String toString() {
        return network.getHostAddress() + (network instanceof Inet6Address ? "/64" : "");
    }
}
