package io.atoll.app.bench.loopback;

import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Report.Measurement;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricType;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures what the owner of a segment pays if the network card's atomics are not atomic with the CPU's. It repeats
 * figure 1 of ALock (section 2). Each thread adds to 1,000 words of the own segment at random. Each word has a cache
 * line of its own, so threads hardly ever meet at one.
 *
 * @param fabric the fabric whose loopback is measured
 * @param threads the largest number of threads
 * @param operations the number of operations of each thread
 * @param rounds how often it measures
 */
record LoopbackBenchmark(FabricType fabric, int threads, int operations, Rounds rounds) {

    private static final int WORDS = 1_000;
    private static final long SEGMENT_BYTES = 128 << 10;
    private static final double NANOS_PER_MILLISECOND = 1e6;

    /** One addition to a word. */
    private interface Addition {
        void toWordAt(long offset);
    }

    List<Measurement> run() throws InterruptedException {
        // The second of two ranks never joins. A world of one rank would not need the card.
        WorldIdentity world = new WorldIdentity("bench-loopback-" + ProcessHandle.current().pid(), 2);
        try (Attachment attachment = fabric.attach(world, OptionalInt.of(0), SEGMENT_BYTES)) {
            Fabric loopback = attachment.fabric();
            LocalMemory memory = loopback.local();
            long words = SegmentHeader.size(world.maxSize());
            List<Measurement> measurements = new ArrayList<>();
            for (int count = 1; count <= threads; count++) {
                String suffix = count == 1 ? ", 1 thread" : ", " + count + " threads";
                measurements.add(measure("CPU" + suffix, count, memory, words, offset -> memory.getAndAdd(offset, 1)));
                measurements.add(measure("loopback" + suffix, count, memory, words,
                        offset -> loopback.getAndAdd(loopback.rank(), offset, 1)));
            }
            return measurements;
        }
    }

    private Measurement measure(String name, int count, LocalMemory memory, long words, Addition addition)
            throws InterruptedException {
        double[] measured = new double[rounds.runs()];
        try (ExecutorService pool = Executors.newFixedThreadPool(count)) {
            for (int round = -rounds.warmups(); round < rounds.runs(); round++) {
                long before = sum(memory, words);
                long nanos = round(pool, count, words, addition);
                long done = sum(memory, words) - before;
                if (done != (long) count * operations) {
                    throw new IllegalStateException(
                            "additions were lost: expected=" + (long) count * operations + " found=" + done);
                }
                if (round >= 0) {
                    measured[round] = done / (nanos / NANOS_PER_MILLISECOND);
                }
            }
        }
        return Measurement.of(name, "operations/ms", measured);
    }

    private static long sum(LocalMemory memory, long words) {
        long sum = 0;
        for (int word = 0; word < WORDS; word++) {
            sum += memory.getAcquire(words + word * Layouts.CACHE_LINE);
        }
        return sum;
    }

    /** Runs all threads at once. Measures from the moment at which all are ready until the last one has ended. */
    private long round(ExecutorService pool, int count, long words, Addition addition) throws InterruptedException {
        long[] startNanos = new long[1];
        CyclicBarrier start = new CyclicBarrier(count, () -> startNanos[0] = System.nanoTime());
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < count; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            running.add(pool.submit(() -> {
                start.await();
                for (int operation = 0; operation < operations; operation++) {
                    addition.toWordAt(words + random.nextInt(WORDS) * Layouts.CACHE_LINE);
                }
                return null;
            }));
        }
        try {
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException failure) {
            throw new IllegalStateException("a thread failed", failure);
        }
        return System.nanoTime() - startNanos[0];
    }
}
