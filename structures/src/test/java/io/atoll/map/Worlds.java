package io.atoll.map;

import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.FixedHash;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The ranks of one world, all in this process, over real shared memory. */
public final class Worlds implements AutoCloseable {

    private final IntFunction<World> opening;
    private final List<World> ranks;

    public Worlds(Path folder, int size) {
        this(folder, size, 8 << 20);
    }

    public Worlds(Path folder, int size, long segmentBytes) {
        opening = rank -> World.named("map")
                .keySeed(FixedHash.SEED)
                .size(size)
                .rank(rank)
                .segment(segmentBytes)
                .fabric(Fabrics.sharedMemory(folder, false))
                .operationTimeout(Duration.ofSeconds(30))
                .open();
        ranks = new ArrayList<>(IntStream.range(0, size).mapToObj(opening).toList());
    }

    /** Lets a rank that has left come back, and makes the others see it. */
    public World restart(int rank) {
        World restarted = opening.apply(rank);
        ranks.set(rank, restarted);
        await().until(() -> ranks.stream()
                .allMatch(world -> world.participant().incarnations()[rank] == restarted.incarnation()));
        return restarted;
    }

    public int size() {
        return ranks.size();
    }

    public World rank(int rank) {
        return ranks.get(rank);
    }

    public List<LongLongMap> longMaps(String name, long capacity) {
        return ranks.stream().map(world -> world.longMap(name).capacity(capacity).open()).toList();
    }

    public List<LongLongMap> fixedLongMaps(String name, long capacity) {
        return ranks.stream().map(world -> world.longMap(name).fixedCapacity(capacity).open()).toList();
    }

    public <K, V> List<DistributedMap<K, V>> maps(String name, Class<K> keys, Class<V> values, long capacity) {
        return ranks.stream().map(world -> world.map(name, keys, values).capacity(capacity).open()).toList();
    }

    /** Runs all programs at the same time, each on a thread of its own, and returns what they return. */
    public static <T> List<T> atOnce(int threads, IntFunction<Callable<T>> programs) throws Exception {
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            List<Future<T>> futures = executor.invokeAll(IntStream.range(0, threads).mapToObj(programs).toList());
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(result(future));
            }
            return results;
        }
    }

    private static <T> T result(Future<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof Error error) {
                throw error;
            }
            throw failure;
        }
    }

    @Override
    public void close() {
        ranks.forEach(World::close);
    }
}
