package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Objects that one token retired, as they wait in an object of the own heap: first with the token, which fills it, then, sealed, in limbo.
 * <pre>
 *       0        8         16          24          32                     984
 *       +--------+---------+-----------+-----------+---------+-----//------+
 *       |  next  |  epoch  |  objects  |  pointer  |  bytes  |  59 more    |
 *       +--------+---------+-----------+-----------+---------+-----//------+
 * </pre>
 * Written by the token's thread until it is sealed; from then on nothing but {@code next} changes, by whoever frees.
 */
final class Bag {

    /** Objects of a bag: not more than there are bits in a word, by which they are counted. */
    public static final int CAPACITY = 60;

    private static final StructLayout ENTRY = MemoryLayout.structLayout( //
            Layouts.word("pointer"), // to offset 0 of its owner for an object whose segment is lost
            Layouts.word("bytes")); // of the object, 0 if it was not told

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("next"), // offset of the bag below it in limbo, 0 for the last
            Layouts.word("epoch"), // of the world, read after everything in the bag was unlinked
            Layouts.word("objects"), // so many entries are valid
            MemoryLayout.sequenceLayout(CAPACITY, ENTRY).withName("entries"));

    public static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    public static final long EPOCH = Layouts.offsetOf(LAYOUT, "epoch");
    public static final long OBJECTS = Layouts.offsetOf(LAYOUT, "objects");
    private static final long ENTRIES = Layouts.offsetOf(LAYOUT, "entries");

    public static final long POINTER = Layouts.offsetOf(ENTRY, "pointer");
    public static final long OBJECT_BYTES = Layouts.offsetOf(ENTRY, "bytes");
    public static final long ENTRY_BYTES = ENTRY.byteSize();
    public static final long BYTES = LAYOUT.byteSize();

    private Bag() {}

    /** What an entry has in the place of a pointer to an object whose segment is lost. */
    public static long lost(int owner) {
        return (long) owner << GlobalPointer.OFFSET_BITS;
    }

    /** Where an object's entry is, from the beginning of the bag. */
    public static long entry(int index) {
        return ENTRIES + index * ENTRY_BYTES;
    }
}
