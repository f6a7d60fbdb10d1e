package io.atoll.lock;

import io.atoll.MeasuredWorld;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A lock of the own rank that no other thread wants, beside the two exchanges that a lock needs at least. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class OwnLockBenchmark {

    private static final int LOCKS = 20;
    private static final Duration CONTENTION = Duration.ofSeconds(1);

    /**
     * True if both ranks have contended for all locks before. The compiler then knows that a lock may be taken, so the
     * code for an own lock is longer.
     */
    @Param({"false", "true"})
    public boolean contendedBefore;

    private MeasuredWorld world;
    private Endpoint endpoint;
    private LockTable table;
    private long word;

    @Setup
    public void open() throws IOException, InterruptedException {
        world = new MeasuredWorld(8 << 20);
        endpoint = world.endpoint();
        word = world.block("word", Layouts.CACHE_LINE)[0];
        table = table(0);
        if (contendedBefore) {
            LockTable others = table(1);
            Thread other = Thread.ofPlatform().start(() -> contend(others, 1));
            contend(table, 0);
            other.join();
        }
    }

    private LockTable table(int rank) {
        return world.rank(rank).lockTable("locks").locks(LOCKS).open();
    }

    private static void contend(LockTable table, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long end = System.nanoTime() + CONTENTION.toNanos();
        while (System.nanoTime() - end < 0) {
            table.lockUninterruptiblyAt(random.nextLong(LOCKS)).close();
        }
    }

    @TearDown
    public void close() throws IOException {
        world.close();
    }

    @Benchmark
    public void lockAndUnlock() {
        table.lockUninterruptiblyAt(0).close();
    }

    @Benchmark
    public long twoCompareAndExchanges() {
        return endpoint.compareAndExchange(0, word, 0, 1) + endpoint.compareAndExchange(0, word, 1, 0);
    }
}
