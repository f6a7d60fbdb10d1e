package io.atoll.chaos.workload;

import io.atoll.array.LongArray;
import io.atoll.array.Pointer;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.memory.GlobalPointer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Protected {@link AtomicObject}s. They refer to a few objects only, so that one comes back soon. Entries have the
 * object's number and the count.
 */
final class AtomicObjectWorkload extends Workload {

    // The number of words at each rank.
    private static final int WORDS = 1 << 12;
    private static final int OBJECTS = 3;
    private static final int COUNT_BITS = 16;
    private static final long LONGEST_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private List<Pointer<Long>> blocks = List.of();

    AtomicObjectWorkload(Scene scene, int thread) {
        super(scene, Structure.ATOMIC_OBJECT, thread);
    }

    /** The first rank to come makes the words of a rank. */
    @Override
    protected void open() {
        LongArray places = scene.world.longArray("atomic-places").length(scene.setting.size()).open();
        Long[] found = new Long[scene.setting.size()];
        for (int rank = 0; rank < found.length; rank++) {
            found[rank] = places.get(rank);
            if (found[rank] == 0) {
                Pointer<Long> made = scene.world.allocate(rank, Long.class, WORDS);
                made.write(0, MemorySegment.ofArray(new long[WORDS]), 0, WORDS);
                made.flush();
                found[rank] = places.compareAndExchange(rank, 0, made.address().toWord());
                if (found[rank] == 0) {
                    found[rank] = made.address().toWord();
                } else {
                    made.free();
                }
            }
        }
        blocks = List.of(found)
                .stream()
                .map(word -> scene.world.pointer(GlobalPointer.fromWord(word), Long.class))
                .toList();
    }

    private AtomicObject<GlobalPointer> object(long key) {
        GlobalPointer place = blocks.get((int) (key / WORDS)).plus(key % WORDS).address();
        return AtomicObject.abaProtected(scene.world.participant().endpoint(), place.rank(), place.offset(),
                ObjectType.POINTER);
    }

    @Override
    protected long key() {
        return super.key() % ((long) WORDS * scene.setting.size());
    }

    /** The pointer is never followed. */
    private static @Nullable GlobalPointer pointer(long number) {
        return number == 0 ? null : new GlobalPointer(1, number * 64);
    }

    private static long number(@Nullable GlobalPointer pointer) {
        return pointer == null ? 0 : pointer.offset() / 64;
    }

    private static long word(Aba<GlobalPointer> seen) {
        return number(seen.object()) << COUNT_BITS | seen.count();
    }

    @Override
    protected void step() throws Exception {
        long key = key();
        AtomicObject<GlobalPointer> object = object(key);
        long to = random.nextInt(OBJECTS + 1);
        long from = random.nextInt(OBJECTS + 1);
        switch (random.nextInt(8)) {
            case 0 -> record(Verb.SET, key, to, 0, () -> {
                object.write(pointer(to));
                return 0;
            });
            case 1 -> record(Verb.GET_AND_PUT, key, to, 0, () -> word(object.exchangeAba(pointer(to))));
            case 2, 3 -> record(Verb.SWAP, key, from, to, () -> bit(object.compareAndSwap(pointer(from), pointer(to))));
            default -> compareAndSwap(object, key, to);
        }
    }

    private void compareAndSwap(AtomicObject<GlobalPointer> object, long key, long to) throws Exception {
        var seen = new Aba<?>[1];
        record(Verb.FIND, key, 0, 0, () -> {
            Aba<GlobalPointer> read = object.readAba();
            seen[0] = read;
            return word(read);
        });
        LockSupport.parkNanos(random.nextLong(LONGEST_LOOK_NANOS));
        // The type is the one that was read.
        @SuppressWarnings("unchecked")
        Aba<GlobalPointer> expected = (Aba<GlobalPointer>) seen[0];
        record(Verb.COMPARE_AND_SET, key, word(expected), to, () -> bit(object.compareAndSwapAba(expected,
                pointer(to))));
    }
}
