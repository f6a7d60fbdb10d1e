package io.atoll.fabric.tcp;

/** The same where loops serve the connections, and they are encrypted. */
class EncryptedBrokenConnectionTest extends LoopedBrokenConnectionTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
