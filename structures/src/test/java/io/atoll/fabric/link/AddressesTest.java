package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests addresses as users write them. */
class AddressesTest {

    /** Compose gives containers names with underscores, which are not allowed in a URI. */
    @ParameterizedTest
    @CsvSource({"shop-0.shop:7420, shop-0.shop, 7420", "192.0.2.7:1, 192.0.2.7, 1",
        "[2001:db8::8]:65535, [2001:db8::8], 65535", "atoll_1:7420, atoll_1, 7420",
        "shop_atoll-1.shop_default:7421, shop_atoll-1.shop_default, 7421"})
    void aHostAndAPortAreRead(String address, String host, int port) {
        assertThat(Addresses.parse(address)).isEqualTo(InetSocketAddress.createUnresolved(host, port));
    }

    @ParameterizedTest
    @CsvSource({"shop_1, shop_1, 5701", "shop_1:7420, shop_1, 7420", "[::1], [::1], 5701", "[::1]:7420, [::1], 7420"})
    void aHostWithoutAPortHasThatOfTheSettings(String address, String host, int port) {
        assertThat(Addresses.parse(address, 5701)).isEqualTo(InetSocketAddress.createUnresolved(host, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "here", "here:", ":7420", "here:0", "here:port", "here:-1", "here:65536",
        "here_too:65536", "here_too:0", "here_too", "here_too:99999999999", "a b:7420", "a_b/c:7420", "a_b@c:7420",
        "here:7420/path", "here_too:7420/path", "2001:db8::8", "[2001:db8::8", "${HERE}:7420"})
    void whatIsNoHostWithAPortIsRefused(String address) {
        assertThatIllegalArgumentException().isThrownBy(() -> Addresses.parse(address));
    }
}
