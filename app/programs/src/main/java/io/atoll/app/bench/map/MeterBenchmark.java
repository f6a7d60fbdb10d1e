package io.atoll.app.bench.map;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * Shows that counting verbs costs nothing for finds on mapped memory: they are loads, which are not counted. Every
 * second rank counts, the others do not. Each rank is a process, as an application is, so its compiler sees only one of
 * the two. The ranks work one after the other. Their turns are so short that other load on the machine disturbs both
 * kinds alike.
 *
 * @param start the number of the start. In even starts the ranks with odd numbers count, in odd starts the other ranks
 * @param keys the number of keys of each rank in the maps
 */
record MeterBenchmark(int start, long keys, Rounds rounds) implements JobRank.Program {

    private static final long BYTES_PER_KEY = 256;
    private static final long SPARE_BYTES = 8 << 20;

    /** Tells how long a thread has run on a processor. Time that other threads have taken away is not included. */
    private static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();

    /** Turns are so short that other load on the machine disturbs only few of them, and not the median. */
    private static final int TURNS = 64;

    private boolean counts(int rank) {
        return (start + rank) % 2 == 1;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        VerbCounts counts = new VerbCounts();
        World world = rank.join(keys * BYTES_PER_KEY + SPARE_BYTES,
                described -> counts(rank.rank()) ? described.verbCounts(counts) : described);
        LongLongMap hits = world.longMap("hits").fixedCapacity(keys * world.size()).open();
        DistributedMap<Long, Long> orders = world.map("orders", Long.class, Long.class)
                .fixedCapacity(keys * world.size())
                .open();
        long[] own = keysOf(world, world.rank());
        long[] others = keysOf(world, (world.rank() + 1) % world.size());
        for (long key : own) {
            hits.putIfAbsent(key, key >>> 3);
            orders.putIfAbsent(key, key);
        }
        rounds.run(rank, world, clocked -> measure(world, clocked, own, others, hits, orders));
    }

    private void measure(World world, Rounds.Clocked clocked, long[] own, long[] others, LongLongMap hits,
            DistributedMap<Long, Long> orders) throws InterruptedException {
        compare(world, clocked, "find, own keys", own, key -> hits.getOrDefault(key, 0));
        compare(world, clocked, "find, another rank's keys", others, key -> hits.getOrDefault(key, 0));
        compare(world, clocked, "increment, own keys", own, key -> hits.addAndGet(key, 1));
        compare(world, clocked, "find in a map of objects, own keys", own, key -> orders.containsKey(key) ? 1 : 0);
        compare(world, clocked, "find in a map of objects, another rank's keys", others,
                key -> orders.containsKey(key) ? 1 : 0);
    }

    /**
     * All operations share one loop, so that no operation is inlined into it. In an application none is either, since
     * much else is done between two of them.
     */
    private static long all(long[] keys, LongUnaryOperator operation) {
        long sum = 0;
        for (long key : keys) {
            sum += operation.applyAsLong(key);
        }
        return sum;
    }

    /** Returns the keys that the rank owns, in a different order at each rank. */
    private long[] keysOf(World world, int owner) {
        var hashing = new KeyHash(world.participant().seed());
        return new SplittableRandom(owner).longs()
                .filter(key -> KeyHash.rank(hashing.of(key), world.size()) == owner)
                .limit(keys)
                .toArray();
    }

    /** Measures slice after slice of the keys, each at one rank after the other. Another rank begins each time. */
    private void compare(World world, Rounds.Clocked clocked, String name, long[] keys, LongUnaryOperator operation)
            throws InterruptedException {
        // The times of each slice, without and with counting. The last element keeps the work from being optimised
        // away.
        long[] nanos = new long[2 * TURNS + 1];
        for (int slice = 0; slice < TURNS; slice++) {
            long[] part = Arrays.copyOfRange(keys, slice * (keys.length / TURNS), (slice + 1) * (keys.length / TURNS));
            for (int turn = 0; turn < world.size(); turn++) {
                world.barrier();
                if ((turn + slice) % world.size() == world.rank()) {
                    long begin = PROCESSOR.getCurrentThreadCpuTime();
                    nanos[2 * TURNS] += all(part, operation);
                    nanos[2 * slice + (counts(world.rank()) ? 1 : 0)] += PROCESSOR.getCurrentThreadCpuTime() - begin;
                }
            }
        }
        world.allReduce(nanos, Long::sum);
        int counting = (world.size() + start % 2) / 2;
        double[] without = operation(nanos, 0, (double) (world.size() - counting) * (keys.length / TURNS));
        double[] with = operation(nanos, 1, (double) counting * (keys.length / TURNS));
        clocked.tell(name, median(without), Rounds.NANOS);
        clocked.tell(name + ", counted", median(with), Rounds.NANOS);
        double[] more = IntStream.range(0, TURNS).mapToDouble(slice -> with[slice] / without[slice] - 1).toArray();
        clocked.tell(name + ", more", median(more) * 100, "%");
    }

    private static double[] operation(long[] nanos, int counted, double operations) {
        return IntStream.range(0, TURNS).mapToDouble(slice -> nanos[2 * slice + counted] / operations).toArray();
    }

    private static double median(double[] values) {
        return Arrays.stream(values).sorted().skip(values.length / 2).findFirst().orElseThrow();
    }
}
