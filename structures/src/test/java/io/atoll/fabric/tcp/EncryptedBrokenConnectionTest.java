package io.atoll.fabric.tcp;

/** Repeats the tests with connections that are encrypted and served by loops. */
class EncryptedBrokenConnectionTest extends LoopedBrokenConnectionTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
