package io.atoll.fabric.tcp;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with connections that loops serve. */
@Tag("network")
class LoopedBrokenConnectionTest extends BrokenConnectionTest {

    @Override
    int mostThreads() {
        return 0;
    }
}
