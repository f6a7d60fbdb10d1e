package io.atoll.completion;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import io.atoll.filter.AsyncLongBloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.AsyncLongLongMap;
import io.atoll.map.AsyncMap;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.process.OwnedFolder;
import io.atoll.queue.AsyncCircularQueue;
import io.atoll.queue.LongCircularQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Prints how many operations a second one thread does synchronously, and asynchronously with 64 under way. The other
 * rank is in the same process and is reached by TCP, or by shared memory, beyond a simulated network. Arguments: the
 * network's round trip in microseconds, which defaults to 200; the fabric, {@code tcp} or {@code shm}; and the
 * milliseconds that each of three measurements takes.
 */
public final class AsynchronousCost {

    private static final int MOST = 64;
    private static final int KEYS = 10_000;
    private static final int RUNS = 3;

    private final long runNanos;
    private final Completions completions;

    private AsynchronousCost(long runNanos, Completions completions) {
        this.runNanos = runNanos;
        this.completions = completions;
    }

    /** Prints a line for each operation. */
    public static void main(String[] arguments) throws IOException {
        long micros = arguments.length > 0 ? Long.parseLong(arguments[0]) : 200;
        boolean isTcp = arguments.length < 2 || arguments[1].equals("tcp");
        long runNanos = Duration.ofMillis(arguments.length > 2 ? Long.parseLong(arguments[2]) : 500).toNanos();
        try (OwnedFolder folder = OwnedFolder.create(Path.of("/dev/shm"), "atoll-asynchronous-cost-")) {
            measure(folder.path(), micros, isTcp, runNanos);
        }
    }

    private static void measure(Path folder, long micros, boolean isTcp, long runNanos) {
        FabricType memory = Fabrics.sharedMemory(folder, false);
        FabricType near = isTcp ? new Tcp(Fabrics.sharedMemory(folder, false)).withoutSharedMemory() : memory;
        FabricType fabric = Fabrics.delayed(near, Delay.of(Duration.ofNanos(micros * 1_000)));
        System.out.println("fabric=" + fabric.name() + " simulatedRoundTripMicros=" + micros + " underWay=" + MOST);
        System.out.println("operation, synchronous operations a second, asynchronous ones, ratio");
        try (World first = open(fabric, 0); World second = open(fabric, 1); Completions all = new Completions(MOST)) {
            new AsynchronousCost(runNanos, all).measure(first, second.rank());
        }
    }

    private static World open(FabricType fabric, int rank) {
        return World.named("cost").size(2).rank(rank).segment(64 << 20).fabric(fabric).open();
    }

    private void measure(World world, int owner) {
        LongLongMap longs = world.longMap("longs").capacity(4 * KEYS).open();
        AsyncLongLongMap asyncLongs = longs.async(completions);
        long[] keys = keys(key -> longs.owner(key) == owner);
        for (long key : keys) {
            asyncLongs.put(key, key);
        }
        completions.join();
        compare("LongLongMap.getOrDefault", i -> longs.getOrDefault(keys[(int) i], 0),
                i -> asyncLongs.getOrDefault(keys[(int) i], 0));
        compare("LongLongMap.addAndGet", i -> longs.addAndGet(keys[(int) i], 1),
                i -> asyncLongs.addAndGet(keys[(int) i], 1));
        // Each value is a new one: a put of the value that is there writes nothing.
        compare("LongLongMap.put", i -> longs.put(keys[(int) i], System.nanoTime()),
                i -> asyncLongs.put(keys[(int) i], System.nanoTime()));
        DistributedMap<Long, Long> map = world.map("map", Long.class, Long.class).capacity(4 * KEYS).open();
        AsyncMap<Long, Long> asyncMap = map.async(completions);
        for (long key : keys) {
            asyncMap.put(key, key);
        }
        completions.join();
        compare("DistributedMap.get", i -> map.get(keys[(int) i]), i -> asyncMap.get(keys[(int) i]));
        compare("DistributedMap.put", i -> map.put(keys[(int) i], i), i -> asyncMap.put(keys[(int) i], i));
        // Half of the elements are this rank's own, and take no round trip.
        LongBloomFilter filter = world.longFilter("filter").expectedElements(1_000_000).open();
        AsyncLongBloomFilter asyncFilter = filter.async(completions);
        compare("LongBloomFilter.mightContain", filter::mightContain, asyncFilter::mightContain);
        LongCircularQueue queue = world.longQueue("queue").capacity(1 << 10).host(owner).open();
        AsyncCircularQueue<Long> asyncQueue = queue.async(completions);
        compare("LongCircularQueue: push and pop", i -> {
            queue.push(i);
            queue.pop(0);
        }, i -> {
            asyncQueue.push(i);
            asyncQueue.pop();
        });
    }

    private static long[] keys(LongPredicate isOne) {
        return LongStream.iterate(1, key -> key + 1).filter(isOne).limit(KEYS).toArray();
    }

    private void compare(String name, LongConsumer synchronous, LongConsumer asynchronous) {
        double one = 0;
        double many = 0;
        for (int run = 0; run < RUNS; run++) {
            one = Math.max(one, perSecond(synchronous));
            many = Math.max(many, perSecond(asynchronous));
        }
        System.out.printf("%s, %.0f, %.0f, %.1f%n", name, one, many, many / one);
    }

    private double perSecond(LongConsumer operation) {
        long began = System.nanoTime();
        long count = 0;
        while (System.nanoTime() - began < runNanos) {
            operation.accept(count++ % KEYS);
        }
        completions.join();
        return count * 1e9 / (System.nanoTime() - began);
    }
}
