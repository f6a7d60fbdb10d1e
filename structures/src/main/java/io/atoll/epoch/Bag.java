package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Objects that one token has retired. A bag is an object of this rank's own heap. The token fills it, seals it, and
 * from then on it waits in limbo.
 * <pre>
 *       0        8         16          24          32                     984
 *       +--------+---------+-----------+-----------+---------+-----//------+
 *       |  next  |  epoch  |  objects  |  pointer  |  bytes  |  59 more    |
 *       +--------+---------+-----------+-----------+---------+-----//------+
 * </pre>
 * The token's thread writes the bag until it is in limbo. From then on only the thread that frees writes it. When a
 * segment is lost, that thread also changes entries of bags that are being filled.
 */
final class Bag {

    /** Objects of a bag: not more than a word has bits, because they are counted with a bit each. */
    public static final int CAPACITY = 60;

    private static final StructLayout ENTRY = MemoryLayout.structLayout( //
            Layouts.word("pointer"), // to offset 0 of its owner for an object whose segment is lost
            Layouts.word("bytes")); // the object's size, 0 if it is not known

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("next"), // offset of the bag below it in limbo, 0 for the last
            Layouts.word("epoch"), // of the world, read after everything in the bag was unlinked
            Layouts.word("objects"), // how many entries are valid
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

    /** Returns what an entry holds instead of a pointer if the object's segment is lost. */
    public static long lost(int owner) {
        return (long) owner << GlobalPointer.OFFSET_BITS;
    }

    /** Returns the offset of an object's entry from the beginning of the bag. */
    public static long entry(int index) {
        return ENTRIES + index * ENTRY_BYTES;
    }
}
