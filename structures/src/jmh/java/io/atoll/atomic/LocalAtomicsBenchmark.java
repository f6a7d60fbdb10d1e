package io.atoll.atomic;

import io.atoll.MeasuredWorld;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A read, a write, an exchange and a compare-and-swap in turn, of a word in the own segment that no other thread uses.
 * The objects are those that only the owner's threads use.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(4)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class LocalAtomicsBenchmark {

    private MeasuredWorld world;
    private LocalMemory memory;
    private long word;
    private LocalAtomicObject<GlobalPointer> unprotected;
    private LocalAtomicObject<GlobalPointer> isProtected;
    private GlobalPointer one;
    private GlobalPointer two;

    @Setup
    public void open() throws IOException {
        world = new MeasuredWorld(8 << 20);
        memory = world.endpoint().fabric().local();
        long block = world.block("words", 3 * Layouts.CACHE_LINE)[0];
        word = block;
        one = new GlobalPointer(0, block);
        two = one.plus(64);
        unprotected = LocalAtomicObject.plain(world.endpoint(), block + Layouts.CACHE_LINE, ObjectType.POINTER);
        isProtected = LocalAtomicObject.abaProtected(world.endpoint(), block + 2 * Layouts.CACHE_LINE,
                ObjectType.POINTER);
    }

    @TearDown
    public void close() throws IOException {
        world.close();
    }

    @Benchmark
    public long plainWord() {
        long sum = memory.getVolatile(word);
        memory.setVolatile(word, 1);
        sum += memory.getAndSet(word, 2);
        return sum + memory.compareAndExchange(word, 2, 1);
    }

    @Benchmark
    public long atomicObject() {
        long sum = AtomicsBenchmark.offset(unprotected.read());
        unprotected.write(one);
        sum += AtomicsBenchmark.offset(unprotected.exchange(two));
        return sum + (unprotected.compareAndSwap(two, one) ? 1 : 0);
    }

    @Benchmark
    public long atomicObjectProtectedFromAba() {
        Aba<GlobalPointer> seen = isProtected.readAba();
        long sum = isProtected.compareAndSwapAba(seen, one) ? 1 : 0;
        isProtected.writeAba(one);
        return sum + AtomicsBenchmark.offset(isProtected.exchangeAba(two).object());
    }
}
