package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Secret;

/** The same where loops serve the connections, and they are encrypted. */
class EncryptedBrokenConnectionTest extends LoopedBrokenConnectionTest {

    @Override
    Tcp settings(Tcp tcp) {
        return tcp.security(Security.secret(Secret.of("a secret that is long enough for this test")));
    }
}
