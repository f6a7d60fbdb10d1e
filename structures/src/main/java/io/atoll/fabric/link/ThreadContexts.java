package io.atoll.fabric.link;

import io.atoll.fabric.PerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The threads that use a fabric, spread over its lanes. A fabric that replaces another one has the same threads, each
 * with the same lanes. So the writes of a thread keep their order across both fabrics. The thread learns of lost writes
 * only once.
 *
 * @param <L> a lane
 * @param <T> what a thread has of the fabric
 */
public final class ThreadContexts<L extends Lane, T> {

    private final PerThread<ThreadLanes<L>> lanes;
    private final PerThread<T> ofThreads;

    /**
     * @param refuseIfClosed throws once this process has left its world; must not refer to this object
     * @param laneCount the number of lanes to each rank, which the threads share
     * @param size the number of ranks in the world
     * @param first makes what the calling thread has, with its lanes; must not refer to this object
     */
    public ThreadContexts(Runnable refuseIfClosed, int laneCount, int size, Function<ThreadLanes<L>, T> first) {
        AtomicInteger count = new AtomicInteger();
        this(new PerThread<>(() -> new ThreadLanes<>(Math.floorMod(count.getAndIncrement(), laneCount), size)),
                refuseIfClosed, first);
    }

    private ThreadContexts(PerThread<ThreadLanes<L>> lanes, Runnable refuseIfClosed,
            Function<ThreadLanes<L>, T> first) {
        this.lanes = lanes;
        this.ofThreads = new PerThread<>(() -> {
            refuseIfClosed.run();
            return first.apply(lanes.value());
        });
    }

    /** Returns the same threads for the fabric that replaces this one. */
    public <U> ThreadContexts<L, U> renewed(Runnable refuseIfClosed, Function<ThreadLanes<L>, U> first) {
        return new ThreadContexts<>(lanes, refuseIfClosed, first);
    }

    /** Returns what the calling thread has. */
    public T caller() {
        return ofThreads.value();
    }
}
