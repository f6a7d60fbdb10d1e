package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/**
 * What each rank measures: a read, a write, an exchange and a compare-and-swap in turn, of a word that nobody else uses meanwhile.
 *
 * @param operations of each kind of word and round
 */
record AtomicsBenchmark(int operations, Rounds rounds) implements JobRank.Program {

    private static final long SEGMENT_BYTES = 8 << 20;
    private static final int LINES = 1 << 10; // one for each rank that has a word here

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
        LocalMemory memory = endpoint.fabric().local();
        long first = new GlobalPointer(world.rank(), own).toWord();
        clocked.measure("local, plain word", operations, () -> plain(memory, own, first, operations));
        clocked.measure("local, AtomicObject", operations,
                () -> object(AtomicObject.plain(endpoint, world.rank(), own, ObjectType.POINTER), first,
                        operations));
        clocked.measure("local, AtomicObject, ABA", operations, () -> aba(
                AtomicObject.abaProtected(endpoint, world.rank(), own, ObjectType.POINTER), first, operations));
        clocked.measure("fabric, plain word", operations, () -> verbs(endpoint, other, theirs, first, operations));
        clocked.measure("fabric, AtomicObject", operations,
                () -> object(AtomicObject.plain(endpoint, other, theirs, ObjectType.POINTER), first,
                        operations));
        clocked.measure("fabric, AtomicObject, ABA", operations, () -> aba(
                AtomicObject.abaProtected(endpoint, other, theirs, ObjectType.POINTER), first, operations));
    }

    // A loop of its own for each, as users write it, so that the compiler sees what is called.

    private static long plain(LocalMemory memory, long offset, long value, int operations) {
        long sum = 0;
        for (int number = 0; number < operations; number += 4) {
            sum += memory.getAcquire(offset);
            memory.setVolatile(offset, value);
            sum += memory.getAndSet(offset, value + 64);
            sum += memory.compareAndExchange(offset, value + 64, value);
        }
        return sum;
    }

    private static long verbs(Endpoint endpoint, int rank, long offset, long value, int operations) {
        long sum = 0;
        for (int number = 0; number < operations; number += 4) {
            sum += endpoint.readWord(rank, offset);
            endpoint.getAndSet(rank, offset, value);
            sum += endpoint.getAndSet(rank, offset, value + 64);
            sum += endpoint.compareAndExchange(rank, offset, value + 64, value);
        }
        return sum;
    }

    private static long object(AtomicObject<GlobalPointer> object, long value, int operations) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        object.write(one);
        for (int number = 0; number < operations; number += 4) {
            sum += offset(object.read());
            object.write(one);
            sum += offset(object.exchange(two));
            sum += object.compareAndSwap(two, one) ? 1 : 0;
        }
        return sum;
    }

    private static long aba(AtomicObject<GlobalPointer> object, long value, int operations) {
        GlobalPointer one = GlobalPointer.fromWord(value);
        GlobalPointer two = one.plus(64);
        long sum = 0;
        object.writeAba(null);
        for (int number = 0; number < operations; number += 4) {
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
