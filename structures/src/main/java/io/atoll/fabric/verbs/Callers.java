package io.atoll.fabric.verbs;

import io.atoll.fabric.PerThread;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that use a fabric. */
final class Callers {

    private final PerThread<Caller> ofThreads;

    /**
     * @param network must not lead here
     * @param laneCount lanes to each rank, which the threads share
     */
    Callers(Caller.Network network, int laneCount, CallerBuffers buffers) {
        AtomicInteger count = new AtomicInteger();
        ofThreads = new PerThread<>(() -> {
            network.refuseIfClosed();
            return new Caller(network, count.getAndIncrement() % laneCount, buffers);
        });
    }

    /** The calling thread. */
    Caller caller() {
        return ofThreads.value();
    }
}
