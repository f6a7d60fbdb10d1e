package io.atoll.fabric.tcp;

/** Repeats the tests with encrypted connections between hosts. */
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
