package io.atoll.fabric.verbs;

import java.util.concurrent.atomic.AtomicInteger;

/** The threads that use a fabric. What a thread has of it is collected with the fabric, whether the thread goes on or not: so the network must not lead here. */
final class Callers {

    private final ThreadLocal<Caller> ofThreads;

    /** @param laneCount lanes to each rank, which the threads share */
    Callers(Caller.Network network, int laneCount, CallerBuffers buffers) {
        AtomicInteger count = new AtomicInteger();
        ofThreads = ThreadLocal.withInitial(() -> {
            network.refuseIfClosed();
            return new Caller(network, count.getAndIncrement() % laneCount, buffers);
        });
    }

    /** The calling thread. */
    Caller caller() {
        return ofThreads.get();
    }
}
