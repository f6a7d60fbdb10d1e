package io.atoll.epoch;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A word that refers to an object. One thread uses the object while another one replaces, retires and frees it. A freed
 * object is overwritten.
 */
final class Replacement {

    static final int ALIVE = 1;
    static final int POISON = 2;

    private static final int TOKENS = 2;
    // The looks take about as long as it takes to replace an object and to free it.
    private static final int LOOKS = 300;
    private static final long SLOT = LocalEpochManager.place(TOKENS);
    private static final long OLD = SLOT + Layouts.CACHE_LINE;
    private static final long NEW = OLD + Layouts.CACHE_LINE;
    private static final long BYTES = NEW + Layouts.CACHE_LINE;

    // Places are used again, but only long after their first use.
    private static final int PLACES = 1 << 16;
    private static final MemorySegment MEMORY = Arena.global().allocate(PLACES * BYTES, Layouts.CACHE_LINE);
    private static final AtomicLong NEXT = new AtomicLong();

    /** Makes a manager, either a right one or one with a mistake. */
    interface Maker {
        LocalEpochManager make(int tokens, LocalEpochManager.Reclaimer reclaimer, LocalMemory memory);
    }

    private final LocalMemory memory;
    private final LocalEpochManager epochs;

    Replacement(Maker maker) {
        MemorySegment place = MEMORY.asSlice(NEXT.getAndIncrement() % PLACES * BYTES, BYTES);
        place.fill((byte) 0);
        memory = new MappedMemory(place);
        epochs = maker.make(TOKENS, (pointers, _) -> memory.setRelease(pointers[0], POISON), memory);
        memory.setRelease(SLOT, OLD);
        memory.setRelease(OLD, ALIVE);
        memory.setRelease(NEW, ALIVE);
    }

    /** Returns the worst value that was seen in the object. */
    int use() {
        Token token = epochs.register();
        token.pin();
        long object = memory.getAcquire(SLOT);
        long worst = ALIVE;
        for (int look = 0; look < LOOKS; look++) {
            worst = Math.max(worst, memory.getAcquire(object));
        }
        token.unpin();
        return (int) worst;
    }

    void replace() {
        Token token = epochs.register();
        token.pin();
        token.retire(memory.getAndSet(SLOT, NEW), 0);
        token.unpin();
        for (int epoch = 0; epoch < 3; epoch++) {
            token.tryReclaim();
        }
    }
}
