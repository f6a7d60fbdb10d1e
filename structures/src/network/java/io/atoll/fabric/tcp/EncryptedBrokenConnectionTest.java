package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with connections that are encrypted and served by loops. */
@Tag("network")
class EncryptedBrokenConnectionTest extends LoopedBrokenConnectionTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
