package io.atoll.fabric.tcp;

/** The same where connections are encrypted. */
class EncryptedStructuresTest extends TcpStructuresTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
