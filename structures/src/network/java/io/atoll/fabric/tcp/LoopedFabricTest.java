package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with many connections that share a thread. */
@Tag("network")
class LoopedFabricTest extends TcpFabricTest {

    @Override
    int mostThreads() {
        return 1;
    }
}
