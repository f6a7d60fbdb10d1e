package io.atoll.chaos.workload;

import io.atoll.array.LongArray;
import io.atoll.array.Pointer;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.memory.GlobalPointer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Cells that point to objects. A thread that replaces an object retires the old one. A reader is pinned, and must see
 * the object whole as long as it is pinned. Other threads allocate memory of the same sizes, fill it with the pattern
 * of freed memory, and give it back.
 */
final class EpochWorkload extends Workload {

    private static final int CELLS = 16;
    private static final long MAGIC = 0x600D_600D_600D_600DL;
    private static final long FREED = 0xDEAD_DEAD_DEAD_DEADL;
    private static final int[] WORDS = {4, 16, 64};
    private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private List<LongArray> cells = List.of();

    EpochWorkload(Scene scene, int thread) {
        super(scene, Structure.EPOCHS, thread);
    }

    @Override
    protected void open() {
        cells = List.of(array(), array());
    }

    private LongArray array() {
        return scene.world.longArray("cells").length(CELLS).open();
    }

    @Override
    protected void step() throws Exception {
        LongArray array = cells.get(handle());
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> replace(array, random.nextInt(CELLS));
            case 5, 6 -> scribble();
            case 7 -> record(Verb.OPEN, 1, 0, 0, () -> scene.world.epochs().tryReclaim());
            case 8 -> record(Verb.OPEN, 2, 0, 0, () -> scene.world.epochs().token().tryReclaim());
            default -> read(array, random.nextInt(CELLS));
        }
    }

    private Pointer<Long> allocate(int words, long magic, long id) {
        Pointer<Long> first = scene.world.allocate(random.nextInt(scene.setting.size()), Long.class, words);
        long[] contents = new long[words];
        Arrays.fill(contents, id);
        contents[0] = magic;
        contents[1] = words;
        first.write(0, MemorySegment.ofArray(contents), 0, words);
        first.flush();
        return first;
    }

    private void replace(LongArray array, int cell) throws Exception {
        record(Verb.OPEN, 3, cell, 0, () -> {
            Token token = scene.world.epochs().token();
            try (Pin _ = token.pin()) {
                long old = array.get(cell);
                Pointer<Long> fresh = allocate(WORDS[random.nextInt(WORDS.length)], MAGIC, value());
                if (array.compareAndExchange(cell, old, fresh.address().toWord()) != old) {
                    fresh.free();
                } else if (old != 0) {
                    token.retire(GlobalPointer.fromWord(old));
                }
            }
            return 0;
        });
    }

    private void scribble() throws Exception {
        record(Verb.OPEN, 4, 0, 0, () -> {
            allocate(WORDS[random.nextInt(WORDS.length)], FREED, FREED).free();
            return 0;
        });
    }

    private void read(LongArray array, int cell) throws Exception {
        record(Verb.READ, cell, 0, 0, () -> {
            try (Pin _ = scene.world.epochs().token().pin()) {
                long word = array.get(cell);
                if (word == 0) {
                    return 0;
                }
                Pointer<Long> object = scene.world.pointer(GlobalPointer.fromWord(word), Long.class);
                extra = object.read(2);
                long wrong = wrong(object, extra);
                if (wrong == 0) {
                    LockSupport.parkNanos(random.nextLong(LONGEST_LOOK_NANOS));
                    wrong = wrong(object, extra);
                }
                return wrong;
            }
        });
    }

    /** Returns 0 if the object is right, otherwise the word that is wrong. */
    private static long wrong(Pointer<Long> object, long id) {
        long magic = object.read(0);
        long words = object.read(1);
        if (magic != MAGIC || words < WORDS[0] || words > WORDS[WORDS.length - 1]) {
            return magic;
        }
        long[] contents = new long[(int) words];
        object.read(0, MemorySegment.ofArray(contents), 0, words);
        for (int index = 2; index < words; index++) {
            if (contents[index] != id) {
                return contents[index];
            }
        }
        return contents[0] == MAGIC ? 0 : contents[0];
    }
}
