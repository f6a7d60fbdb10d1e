package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with encrypted connections between hosts. */
@Tag("network")
class EncryptedMixedFabricTest extends MixedFabricTest {

    @Override
    Tcp settings(Tcp tcp) {
        return Encrypted.settings(tcp);
    }

    @Override
    public int rounds() {
        return 50;
    }
}
