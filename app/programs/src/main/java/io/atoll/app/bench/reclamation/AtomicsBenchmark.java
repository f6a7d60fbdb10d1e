package io.atoll.app.bench.reclamation;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.LocalAtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of each rank. It reads, writes, exchanges and compare-and-swaps a word in turn, while no other
 * thread uses that word. It does so by the CPU, and by the fabric's verbs in its own segment and in another rank's.
 *
 * @param operations the number of operations for each kind of word and round
 */
record AtomicsBenchmark(int operations, Rounds rounds) implements JobRank.Program {

    private static final long SEGMENT_BYTES = 8 << 20;
    // One line for each rank that has a word here.
    private static final int LINES = 1 << 10;
    // The operations of one call. So the compiler compiles the called method, not its loop alone.
    private static final int CHUNK = 1_000;

    /** The address of a plain word, kept as an atomic object keeps its own. */
    private record Word(Endpoint endpoint, int rank, long offset) {}

    private record LocalWord(LocalMemory memory, long offset) {}

    @Override
    public void run(JobRank rank) throws InterruptedException {
        try (World world = rank.join(SEGMENT_BYTES)) {
            long[] blocks = world.participant()
                    .directory()
                    .open("words", "words", any -> 2L * LINES * Layouts.CACHE_LINE);
            rounds.run(rank, world, clocked -> measure(world, clocked, blocks));
        }
    }

    private void measure(World world, Rounds.Clocked clocked, long[] blocks) throws InterruptedException {
        Endpoint endpoint = world.participant().endpoint();
        int other = (world.rank() + 1) % world.size();
        long line = Layouts.CACHE_LINE * (world.rank() % LINES);
        long own = blocks[world.rank()] + line;
        long theirs = blocks[other] + line + LINES * Layouts.CACHE_LINE;
        long object = new GlobalPointer(world.rank(), own).toWord();
        measureLocal(endpoint, clocked, own, object);
        measureVerbs(endpoint, clocked, "own segment", new Word(endpoint, world.rank(), own), object);
        measureVerbs(endpoint, clocked, "fabric", new Word(endpoint, other, theirs), object);
    }

    private void measureLocal(Endpoint endpoint, Rounds.Clocked clocked, long own, long object)
            throws InterruptedException {
        LocalWord word = new LocalWord(endpoint.fabric().local(), own);
        measure(clocked, "local, plain word", () -> plain(word, object));
        var unprotected = LocalAtomicObject.plain(endpoint, own, ObjectType.POINTER);
        measure(clocked, "local, LocalAtomicObject", () -> local(unprotected, object));
        var isProtected = LocalAtomicObject.abaProtected(endpoint, own, ObjectType.POINTER);
        isProtected.write(GlobalPointer.fromWord(object));
        measure(clocked, "local, LocalAtomicObject, ABA", () -> localAba(isProtected, object));
    }

    private void measureVerbs(Endpoint endpoint, Rounds.Clocked clocked, String where, Word word, long object)
            throws InterruptedException {
        measure(clocked, where + ", plain word", () -> verbs(word, object));
        var unprotected = AtomicObject.plain(endpoint, word.rank, word.offset, ObjectType.POINTER);
        measure(clocked, where + ", AtomicObject", () -> object(unprotected, object));
        var isProtected = AtomicObject.abaProtected(endpoint, word.rank, word.offset, ObjectType.POINTER);
        isProtected.write(GlobalPointer.fromWord(object));
        measure(clocked, where + ", AtomicObject, ABA", () -> aba(isProtected, object));
    }

    private void measure(Rounds.Clocked clocked, String name, LongSupplier chunk) throws InterruptedException {
        int chunks = Math.ceilDiv(operations, CHUNK);
        clocked.measure(name, (long) chunks * CHUNK, () -> {
            long sum = 0;
            for (int number = 0; number < chunks; number++) {
                sum += chunk.getAsLong();
            }
            return sum;
        });
    }

    // Each loop stands by itself, as users write it, so that the compiler sees which method is called. The word's first
    // value is overwritten before a loop expects a value.

    private static long plain(LocalWord word, long value) {
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            sum += word.memory.getVolatile(word.offset);
            word.memory.setVolatile(word.offset, value);
            sum += word.memory.getAndSet(word.offset, value + 64);
            sum += word.memory.compareAndExchange(word.offset, value + 64, value);
        }
        return sum;
    }

    private static long verbs(Word word, long value) {
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            sum += word.endpoint.readWord(word.rank, word.offset);
            word.endpoint.getAndSet(word.rank, word.offset, value);
            sum += word.endpoint.getAndSet(word.rank, word.offset, value + 64);
            sum += word.endpoint.compareAndExchange(word.rank, word.offset, value + 64, value);
        }
        return sum;
    }

    private static long local(LocalAtomicObject<GlobalPointer> object, long value) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            sum += offset(object.read());
            object.write(one);
            sum += offset(object.exchange(two));
            sum += object.compareAndSwap(two, one) ? 1 : 0;
        }
        return sum;
    }

    private static long object(AtomicObject<GlobalPointer> object, long value) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            sum += offset(object.read());
            object.write(one);
            sum += offset(object.exchange(two));
            sum += object.compareAndSwap(two, one) ? 1 : 0;
        }
        return sum;
    }

    private static long localAba(LocalAtomicObject<GlobalPointer> object, long value) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            Aba<GlobalPointer> seen = object.readAba();
            sum += object.compareAndSwapAba(seen, one) ? 1 : 0;
            object.writeAba(one);
            sum += offset(object.exchangeAba(two).object());
        }
        return sum;
    }

    private static long aba(AtomicObject<GlobalPointer> object, long value) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        for (int number = 0; number < CHUNK; number += 4) {
            Aba<GlobalPointer> seen = object.readAba();
            sum += object.compareAndSwapAba(seen, one) ? 1 : 0;
            object.writeAba(one);
            sum += offset(object.exchangeAba(two).object());
        }
        return sum;
    }

    private static long offset(@Nullable GlobalPointer pointer) {
        return pointer == null ? 0 : pointer.offset();
    }
}
