package io.atoll.fabric.tcp;

/** Repeats the tests with many connections that share a thread. */
class LoopedFabricTest extends TcpFabricTest {

    @Override
    int mostThreads() {
        return 1;
    }
}
