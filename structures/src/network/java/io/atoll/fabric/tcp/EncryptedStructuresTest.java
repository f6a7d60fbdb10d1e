package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with encrypted connections. */
@Tag("network")
class EncryptedStructuresTest extends TcpStructuresTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }
}
