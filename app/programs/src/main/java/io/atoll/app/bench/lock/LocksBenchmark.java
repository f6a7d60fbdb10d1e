package io.atoll.app.bench.lock;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The measurements of each rank. Its threads acquire and release locks at random for a while, a given percentage of
 * them in their own segment.
 *
 * @param threads the number of threads of each rank
 * @param locks the number of locks of all ranks
 * @param localities the percentages of acquisitions that are of own locks, measured one after the other
 * @param millis the length of each round
 */
record LocksBenchmark(List<LockAlgorithm> algorithms, int threads, long locks, List<Integer> localities,
        int localBudget, int remoteBudget, long millis, Rounds rounds) implements JobRank.Program {

    private static final long BYTES_OF_A_LOCK = 2 * 64;
    private static final long SPARE_BYTES = 8 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        try (World world = rank.join(algorithms.size() * locks * BYTES_OF_A_LOCK + SPARE_BYTES)) {
            for (LockAlgorithm algorithm : algorithms) {
                LockTable table = world.lockTable("locks-" + algorithm)
                        .locks(locks)
                        .algorithm(algorithm)
                        .localBudget(localBudget)
                        .remoteBudget(remoteBudget)
                        .open();
                for (int locality : localities) {
                    measure(rank, world, table, algorithm + "\t" + locality, locality);
                }
            }
        }
    }

    private void measure(JobRank rank, World world, LockTable table, String name, int locality)
            throws InterruptedException {
        for (int round = 0; round < rounds.warmups() + rounds.runs(); round++) {
            world.barrier();
            long began = System.nanoTime();
            Histogram latencies = together(world, table, locality);
            long nanos = System.nanoTime() - began;
            if (round >= rounds.warmups()) {
                rank.print(String.join("\t", name, "" + (round - rounds.warmups()), "" + nanos,
                        encoded(latencies)));
            }
        }
    }

    private static String encoded(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int bytes = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), bytes));
    }

    private Histogram together(World world, LockTable table, int locality) throws InterruptedException {
        List<Future<Histogram>> running = new ArrayList<>();
        Histogram all = histogram();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                SplittableRandom random = new SplittableRandom((long) world.rank() * threads + thread);
                running.add(pool.submit(() -> acquire(world, table, locality, random)));
            }
            for (Future<Histogram> each : running) {
                all.add(each.get());
            }
            return all;
        } catch (ExecutionException failure) {
            throw new IllegalStateException("a thread failed", failure);
        }
    }

    static Histogram histogram() {
        return new Histogram(TimeUnit.MINUTES.toNanos(1), 2);
    }

    /**
     * The work of one thread until the time is over. The end of an acquisition is the beginning of the next, so each
     * one reads the clock once.
     */
    private Histogram acquire(World world, LockTable table, int locality, SplittableRandom random) {
        Histogram latencies = histogram();
        long last = System.nanoTime();
        long end = last + TimeUnit.MILLISECONDS.toNanos(millis);
        while (last < end) {
            Acquisition held = table.lockUninterruptiblyAt(index(world, locality, random));
            held.close();
            long now = System.nanoTime();
            latencies.recordValue(now - last);
            last = now;
        }
        return latencies;
    }

    private long index(World world, int locality, SplittableRandom random) {
        int size = world.size();
        boolean own = size == 1 || random.nextInt(100) < locality;
        int owner = own ? world.rank() : (world.rank() + 1 + random.nextInt(size - 1)) % size;
        return random.nextLong(locks / size) * size + owner;
    }
}
