package io.atoll.epoch;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Objects that one token retired, as they wait in an object of the own heap: first with the token, which fills it, then, sealed, in limbo.
 * <pre>
 *       0        8         16          24        32                    512
 *       +--------+---------+-----------+---------+---------//----------+
 *       |  next  |  epoch  |  objects  |  bytes  |  pointers (60)      |
 *       +--------+---------+-----------+---------+---------//----------+
 * </pre>
 * Written by the token's thread until it is sealed; from then on nothing but {@code next} changes, by whoever frees.
 */
final class Bag {

    /** Objects of a bag. */
    static final int CAPACITY = 60;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("next"), // offset of the bag below it in limbo, 0 for the last
            Layouts.word("epoch"), // of the world, read after everything in the bag was unlinked
            Layouts.word("objects"), // so many pointers are valid
            Layouts.word("bytes"), // of the objects, as far as it was told; 0 until it is sealed
            Layouts.words("pointers", CAPACITY)); // 0 for an object whose segment is lost

    static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    static final long EPOCH = Layouts.offsetOf(LAYOUT, "epoch");
    static final long OBJECTS = Layouts.offsetOf(LAYOUT, "objects");
    static final long OBJECT_BYTES = Layouts.offsetOf(LAYOUT, "bytes");
    static final long POINTERS = Layouts.offsetOf(LAYOUT, "pointers");
    static final long BYTES = LAYOUT.byteSize();

    private Bag() {}

    static long pointer(int index) {
        return POINTERS + index * Layouts.WORD;
    }
}
