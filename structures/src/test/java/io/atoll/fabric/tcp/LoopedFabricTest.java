package io.atoll.fabric.tcp;

/** The same promises hold where many connections share a thread. */
class LoopedFabricTest extends TcpFabricTest {

    @Override
    int mostThreads() {
        return 1;
    }
}
