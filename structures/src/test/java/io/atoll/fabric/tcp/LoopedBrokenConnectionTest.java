package io.atoll.fabric.tcp;

/** The same where loops serve the connections. */
class LoopedBrokenConnectionTest extends BrokenConnectionTest {

    @Override
    int mostThreads() {
        return 0;
    }
}
