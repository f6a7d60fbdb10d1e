package io.atoll.epoch;

import io.atoll.MeasuredWorld;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Retires objects that have been allocated before, and frees them: now and then, or all at the end (Dewan and Jenkins,
 * figures 4 to 7). One thread does so.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(RetireBenchmark.OBJECTS)
@Fork(3)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
@State(Scope.Thread)
public class RetireBenchmark {

    static final int OBJECTS = 300_000;

    private static final long OBJECT_BYTES = 64;
    private static final long SEGMENT_BYTES = 64 << 20;
    private static final int SEED = 1;

    /** How many of a hundred objects lie at another rank. */
    @Param({"0", "50", "100"})
    public int remotePercent;

    private MeasuredWorld world;
    private EpochManager epochs;
    private Token token;
    private final long[] objects = new long[OBJECTS];

    @Setup
    public void open() throws IOException {
        world = new MeasuredWorld(SEGMENT_BYTES);
        epochs = world.rank(0).epochs();
        token = epochs.register();
    }

    @Setup(Level.Invocation)
    public void allocate() {
        Heap heap = world.rank(0).participant().heap();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int number = 0; number < OBJECTS; number++) {
            int rank = random.nextInt(100) < remotePercent ? 1 : 0;
            objects[number] = new GlobalPointer(rank, heap.allocate(rank, OBJECT_BYTES)).toWord();
        }
    }

    @TearDown(Level.Invocation)
    public void free() {
        epochs.clear();
    }

    @TearDown
    public void close() throws IOException {
        token.close();
        world.close();
    }

    /** Pins once for all objects. */
    @Benchmark
    public void retireAlone() {
        try (Pin _ = token.pin()) {
            for (long object : objects) {
                token.retire(object, OBJECT_BYTES);
            }
        }
    }

    /** Pins for each object. */
    @Benchmark
    public void retireAndNeverReclaim() {
        retire(Integer.MAX_VALUE);
    }

    @Benchmark
    public long retireAndFreeAllAtTheEnd() {
        retire(Integer.MAX_VALUE);
        return epochs.clear();
    }

    @Benchmark
    public long retireAndReclaimEvery1024() {
        retire(1_024);
        return epochs.clear();
    }

    @Benchmark
    public long retireAndReclaimEveryTime() {
        retire(1);
        return epochs.clear();
    }

    /** @param reclaimEvery after how many objects this thread tries to reclaim */
    private void retire(int reclaimEvery) {
        int untilReclaim = reclaimEvery;
        for (long object : objects) {
            token.pin();
            token.retire(object, OBJECT_BYTES);
            token.unpin();
            untilReclaim--;
            if (untilReclaim == 0) {
                token.tryReclaim();
                untilReclaim = reclaimEvery;
            }
        }
    }
}
