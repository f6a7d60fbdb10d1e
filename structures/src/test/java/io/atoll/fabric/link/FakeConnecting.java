package io.atoll.fabric.link;

import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Connects rank 0 of a world of two to lanes that a test makes. */
public abstract class FakeConnecting<L extends Lane> implements Connecting<L> {

    @Override
    public final WorldIdentity world() {
        return new WorldIdentity("link", 2);
    }

    @Override
    public final int rank() {
        return 0;
    }

    @Override
    public final Duration timeout() {
        return Duration.ofSeconds(10);
    }

    @Override
    public final Duration timeoutAnew() {
        return Duration.ofSeconds(5);
    }

    @Override
    public final boolean asksForProofs() {
        return false;
    }

    @Override
    public final Told ask(int other, InetSocketAddress address, Duration timeout) {
        throw new IllegalStateException("nobody is asked");
    }
}
