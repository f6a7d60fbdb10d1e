package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Secret;

/** Settings of ranks that have a secret, so their connections are encrypted. */
final class Encrypted {

    private static final Security SECURITY = Security.secret(Secret.of("a secret that is long enough for this test"));

    private Encrypted() {}

    static Tcp settings(Tcp tcp) {
        return tcp.security(SECURITY);
    }
}
