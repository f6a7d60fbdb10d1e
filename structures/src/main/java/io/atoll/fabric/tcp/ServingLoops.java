package io.atoll.fabric.tcp;

import io.atoll.background.BackgroundThread;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The loops that serve connections without a thread of their own. There is one loop for each processor. */
final class ServingLoops implements AutoCloseable {

    private final AtomicInteger taken = new AtomicInteger();
    private final List<ServingLoop> loops;

    ServingLoops(String name, Tcp settings) {
        this.loops = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(index -> new ServingLoop(name + "-loop-" + index, Spin.of(settings)))
                .toList();
    }

    List<BackgroundThread> threads() {
        return loops.stream().map(ServingLoop::thread).toList();
    }

    /** Returns the loop for the next connection. */
    ServingLoop next() {
        return loops.get(Math.floorMod(taken.getAndIncrement(), loops.size()));
    }

    /** Ends all loops. No connection may be left. */
    @Override
    public void close() throws IOException {
        for (ServingLoop loop : loops) {
            loop.close();
        }
    }
}
