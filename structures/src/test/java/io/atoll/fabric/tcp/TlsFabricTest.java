package io.atoll.fabric.tcp;

/** Repeats the tests with encrypted connections. */
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
