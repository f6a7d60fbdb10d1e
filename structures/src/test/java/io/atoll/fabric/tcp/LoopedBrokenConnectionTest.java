package io.atoll.fabric.tcp;

/** Repeats the tests with connections that loops serve. */
class LoopedBrokenConnectionTest extends BrokenConnectionTest {

    @Override
    int mostThreads() {
        return 0;
    }
}
