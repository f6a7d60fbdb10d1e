package io.atoll.queue;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.FabricType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The ranks of one world, all in this process, over real shared memory. */
public final class SharedRanks implements AutoCloseable {

    public final List<World> worlds;

    public SharedRanks(Path folder, int size) {
        this(folder, size, UnaryOperator.identity());
    }

    /** @param wrapped makes the fabric to be used from that of shared memory */
    SharedRanks(Path folder, int size, UnaryOperator<FabricType> wrapped) {
        worlds = IntStream.range(0, size)
                .mapToObj(rank -> World.named("queue")
                        .size(size)
                        .rank(rank)
                        .segment(4 << 20)
                        .fabric(wrapped.apply(Fabrics.sharedMemory(folder, false)))
                        .open())
                .toList();
    }

    /** Applies the function at every rank, in their order. */
    public <T> List<T> each(Function<World, T> opening) {
        return worlds.stream().map(opening).toList();
    }

    /** Runs all programs at the same time, each on a thread of its own, and returns what they return. */
    public static <T> List<T> atOnce(List<Callable<T>> programs) throws Exception {
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            List<T> results = new ArrayList<>();
            for (Future<T> future : executor.invokeAll(programs)) {
                results.add(future.get());
            }
            return results;
        }
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
    }
}
