package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Tests which addresses count as one. */
class OriginTest {

    private static Origin of(String address) {
        return Origin.of(InetAddress.ofLiteral(address));
    }

    @Test
    void eachAddressOfIPv4IsAnOrigin() {
        assertThat(of("127.0.0.2")).isEqualTo(of("127.0.0.2")).isNotEqualTo(of("127.0.0.3"));
        assertThat(of("127.0.0.2")).hasToString("127.0.0.2");
    }

    @Test
    void aNetworkOfIPv6IsAnOrigin() {
        assertThat(of("2001:db8:1:2:3:4:5:6")).isEqualTo(of("2001:db8:1:2::1")).isNotEqualTo(of("2001:db8:1:3::1"));
        assertThat(of("2001:db8:1:2:3:4:5:6")).hasToString("2001:db8:1:2:0:0:0:0/64");
        assertThat(of("::1")).isNotEqualTo(of("127.0.0.1"));
    }

    @Test
    void anAddressOfIPv4InIPv6IsThatOfIPv4() throws UnknownHostException {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 7};
        InetAddress wide = Inet6Address.getByAddress(null, mapped, 0);
        assertThat(wide).isInstanceOf(Inet6Address.class);
        assertThat(Origin.of(wide)).isEqualTo(of("10.0.0.7"));
    }

    @Test
    void allWhoseAddressIsNotKnownCountAsOne() {
        assertThat(Origin.of(null)).isEqualTo(Origin.of(null)).isNotEqualTo(of("127.0.0.1"));
    }
}
