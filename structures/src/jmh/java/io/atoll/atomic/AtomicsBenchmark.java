package io.atoll.atomic;

import io.atoll.MeasuredWorld;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * A read, a write, an exchange and a compare-and-swap in turn, of a word that no other thread uses, by the fabric's
 * verbs (Dewan and Jenkins, figure 3). The plain word is what an atomic object adds to.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(4)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class AtomicsBenchmark {

    /** The rank that has the word: the own one, or another one. */
    @Param({"0", "1"})
    public int rank;

    /** What is added to each round trip, as a network would. */
    @Param("0")
    public long delayNanos;

    private MeasuredWorld world;
    private Endpoint endpoint;
    private long word;
    private AtomicObject<GlobalPointer> unprotected;
    private AtomicObject<GlobalPointer> isProtected;
    private GlobalPointer one;
    private GlobalPointer two;

    @Setup
    public void open() throws IOException {
        world = new MeasuredWorld(8 << 20, delayNanos);
        endpoint = world.endpoint();
        long block = world.block("words", 3 * Layouts.CACHE_LINE)[rank];
        word = block;
        one = new GlobalPointer(rank, block);
        two = one.plus(64);
        unprotected = AtomicObject.plain(endpoint, rank, block + Layouts.CACHE_LINE, ObjectType.POINTER);
        isProtected = AtomicObject.abaProtected(endpoint, rank, block + 2 * Layouts.CACHE_LINE, ObjectType.POINTER);
    }

    @TearDown
    public void close() throws IOException {
        world.close();
    }

    @Benchmark
    public long plainWord() {
        long sum = endpoint.readWord(rank, word);
        sum += endpoint.getAndSet(rank, word, 1);
        sum += endpoint.getAndSet(rank, word, 2);
        return sum + endpoint.compareAndExchange(rank, word, 2, 1);
    }

    @Benchmark
    public long atomicObject() {
        long sum = offset(unprotected.read());
        unprotected.write(one);
        sum += offset(unprotected.exchange(two));
        return sum + (unprotected.compareAndSwap(two, one) ? 1 : 0);
    }

    @Benchmark
    public long atomicObjectProtectedFromAba() {
        Aba<GlobalPointer> seen = isProtected.readAba();
        long sum = isProtected.compareAndSwapAba(seen, one) ? 1 : 0;
        isProtected.writeAba(one);
        return sum + offset(isProtected.exchangeAba(two).object());
    }

    static long offset(@Nullable GlobalPointer pointer) {
        return pointer == null ? 0 : pointer.offset();
    }
}
