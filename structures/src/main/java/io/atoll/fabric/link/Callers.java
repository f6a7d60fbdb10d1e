package io.atoll.fabric.link;

import io.atoll.fabric.PerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * The threads that use a fabric, spread over its lanes.
 *
 * @param <T> what a thread has of the fabric
 */
public final class Callers<T> {

    private final PerThread<T> ofThreads;

    /**
     * @param refuseIfClosed throws once this process has left its world; must not lead here
     * @param laneCount lanes to each rank, which the threads share
     * @param first makes what the calling thread has, for lanes of that index; must not lead here
     */
    public Callers(Runnable refuseIfClosed, int laneCount, IntFunction<T> first) {
        AtomicInteger count = new AtomicInteger();
        ofThreads = new PerThread<>(() -> {
            refuseIfClosed.run();
            return first.apply(Math.floorMod(count.getAndIncrement(), laneCount));
        });
    }

    /** Returns what the calling thread has. */
    public T caller() {
        return ofThreads.value();
    }
}
