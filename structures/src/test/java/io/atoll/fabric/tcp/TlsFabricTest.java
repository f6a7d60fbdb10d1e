package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Secret;

/** The same promises hold where connections are encrypted. */
class TlsFabricTest extends TcpFabricTest {

    @Override
    Tcp settings(Tcp tcp) {
        return tcp.security(Security.secret(Secret.of("a secret that is long enough for this test")));
    }

    @Override
    public int rounds() {
        return 50;
    }
}
