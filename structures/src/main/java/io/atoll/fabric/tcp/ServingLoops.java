package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Which connections have a thread of their own. So many do; those that come later are served by loops, one for each
 * processor. A thread is a little faster while there are few, and takes more memory.
 */
final class ServingLoops implements AutoCloseable {

    private final int mostThreads;
    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final List<ServingLoop> loops;

    /** @param mostThreads how many connections have one of their own */
    ServingLoops(String name, int mostThreads) {
        this.mostThreads = mostThreads;
        this.loops = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(index -> new ServingLoop(name + "-loop-" + index))
                .toList();
    }

    List<BackgroundThread> threads() {
        return loops.stream().map(ServingLoop::thread).toList();
    }

    /** Returns whether a connection has its own thread. It gives that back when it ends. */
    boolean takeThread() {
        if (threads.incrementAndGet() <= mostThreads) {
            return true;
        }
        threads.decrementAndGet();
        return false;
    }

    void giveThreadBack() {
        threads.decrementAndGet();
    }

    /** Returns the loop for a connection that has no thread. */
    ServingLoop next() {
        return loops.get(Math.floorMod(taken.getAndIncrement(), loops.size()));
    }

    /** No connection may be left. */
    @Override
    public void close() throws IOException {
        for (ServingLoop loop : loops) {
            loop.close();
        }
    }
}
