package io.atoll.fabric.tcp;

/** Repeats the tests with encrypted connections. */
class EncryptedStructuresTest extends TcpStructuresTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
