package io.atoll.epoch;

import io.atoll.MeasuredWorld;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A pin and its end, beside a compare-and-exchange and a full fence: the two that other epochs' pins take. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class PinBenchmark {

    private MeasuredWorld world;
    private LocalMemory memory;
    private long word;
    private Token token;

    @Setup
    public void open() throws IOException {
        world = new MeasuredWorld(8 << 20);
        memory = world.endpoint().fabric().local();
        word = world.block("word", Layouts.CACHE_LINE)[0];
        token = world.rank(0).epochs().register();
    }

    @TearDown
    public void close() throws IOException {
        token.close();
        world.close();
    }

    @Benchmark
    public void pinAndUnpin() {
        token.pin();
        token.unpin();
    }

    @Benchmark
    public long compareAndExchangeAndFullFence() {
        long found = memory.get(word);
        memory.compareAndExchange(word, found, found + 1);
        memory.fullFence();
        return found;
    }
}
