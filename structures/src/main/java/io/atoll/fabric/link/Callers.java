package io.atoll.fabric.link;

import io.atoll.fabric.PerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The threads that use a fabric, spread over its lanes. What replaces a fabric has the same threads, each with the lanes
 * that it had: so what a thread writes by one and by the other keeps its order, and of lost writes it is told once.
 *
 * @param <L> a lane
 * @param <T> what a thread has of the fabric
 */
public final class Callers<L extends Lane, T> {

    private final PerThread<ThreadLanes<L>> lanes;
    private final PerThread<T> ofThreads;

    /**
     * @param refuseIfClosed throws once this process has left its world; must not lead here
     * @param laneCount lanes to each rank, which the threads share
     * @param size ranks of the world
     * @param first makes what the calling thread has, with its lanes; must not lead here
     */
    public Callers(Runnable refuseIfClosed, int laneCount, int size, Function<ThreadLanes<L>, T> first) {
        AtomicInteger count = new AtomicInteger();
        this(new PerThread<>(() -> new ThreadLanes<>(Math.floorMod(count.getAndIncrement(), laneCount), size)),
                refuseIfClosed, first);
    }

    private Callers(PerThread<ThreadLanes<L>> lanes, Runnable refuseIfClosed, Function<ThreadLanes<L>, T> first) {
        this.lanes = lanes;
        this.ofThreads = new PerThread<>(() -> {
            refuseIfClosed.run();
            return first.apply(lanes.value());
        });
    }

    /** Returns the same threads, as they use what replaces the fabric. */
    public <U> Callers<L, U> renewed(Runnable refuseIfClosed, Function<ThreadLanes<L>, U> first) {
        return new Callers<>(lanes, refuseIfClosed, first);
    }

    /** Returns what the calling thread has. */
    public T caller() {
        return ofThreads.value();
    }
}
