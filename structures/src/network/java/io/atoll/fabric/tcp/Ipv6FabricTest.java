package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Repeats the tests with ranks that listen at an IPv6 address. */
@Tag("network")
class Ipv6FabricTest extends TcpFabricTest {

    private static final String LOOPBACK = "::1";

    @BeforeAll
    static void skipWithoutIpv6() {
        assumeTrue(Ipv6FabricTest::canListen, "this machine has no address " + LOOPBACK);
    }

    private static boolean canListen() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral(LOOPBACK))) {
            return socket.isBound();
        } catch (IOException none) {
            return false;
        }
    }

    @Override
    Tcp settings(Tcp tcp) {
        return tcp.bind(LOOPBACK, 0);
    }

    @Override
    public int rounds() {
        return 50;
    }

    @Test
    void ranksAreToldThatAddress() {
        assertThat(InetAddress.ofLiteral(address("tcp.host"))).isEqualTo(InetAddress.ofLiteral(LOOPBACK));
    }
}
