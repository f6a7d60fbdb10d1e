package io.atoll.fabric.tcp;

/** The same promises hold where connections are encrypted. */
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
