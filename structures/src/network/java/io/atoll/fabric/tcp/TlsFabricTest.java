package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with encrypted connections. */
@Tag("network")
class TlsFabricTest extends TcpFabricTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }

    @Override
    public int rounds() {
        return 50;
    }
}
