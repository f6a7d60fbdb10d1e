package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketAddressesTest {

    private final Arena arena = Arena.ofAuto();

    @ParameterizedTest
    @ValueSource(strings = {"10.9.1.1", "255.255.255.255", "::1", "2001:db8::ff:1"})
    void whatIsWrittenIsReadBack(String host) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 0xC001);

        assertThat(SocketAddresses.read(SocketAddresses.write(address, arena))).isEqualTo(address);
    }

    @Test
    void portAndAddressAreInNetworkOrder() throws Exception {
        MemorySegment struct = SocketAddresses.write(new InetSocketAddress(InetAddress.getByName("1.2.3.4"), 0x0506),
                arena);

        assertThat(struct.toArray(JAVA_BYTE)).containsExactly(2, 0, 5, 6, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void noAddressIsTheNullPointer() {
        assertThat(SocketAddresses.write(null, arena)).isEqualTo(MemorySegment.NULL);
    }

    @Test
    void zeroedMemoryIsNoAddress() {
        assertThat(SocketAddresses.read(arena.allocate(SocketAddresses.LONGEST_BYTES))).isNull();
    }

    @Test
    void aNameThatWasNotResolvedIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketAddresses.write(InetSocketAddress.createUnresolved("somewhere", 1), arena))
                .withMessageContaining("address=somewhere");
    }
}
