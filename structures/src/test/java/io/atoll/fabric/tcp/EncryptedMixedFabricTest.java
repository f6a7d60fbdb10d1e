package io.atoll.fabric.tcp;

/** The same where connections between hosts are encrypted. */
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
