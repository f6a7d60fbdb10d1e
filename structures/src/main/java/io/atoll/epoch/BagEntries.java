package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * A copy of the entries of a sealed bag, loaded from the segment at once. Loading word after word would cost more than
 * all work on the entries. Used by one thread at a time.
 */
final class BagEntries {

    private static final int WORDS = (int) (Bag.ENTRY_BYTES / Layouts.WORD); // of an entry
    private static final int POINTER = (int) (Bag.POINTER / Layouts.WORD);
    private static final int OBJECT_BYTES = (int) (Bag.OBJECT_BYTES / Layouts.WORD);

    private final long[] words = new long[Bag.CAPACITY * WORDS];
    private final MemorySegment segment = MemorySegment.ofArray(words);
    private int objects;

    /** Loads the entries of that bag, in place of the former ones. */
    BagEntries of(LocalMemory memory, long bag) {
        objects = (int) memory.get(bag + Bag.OBJECTS);
        memory.load(bag + Bag.entry(0), segment, 0, objects * Bag.ENTRY_BYTES);
        return this;
    }

    int objects() {
        return objects;
    }

    /** Returns {@link GlobalPointer#toWord()} of the object. */
    long pointer(int index) {
        return words[index * WORDS + POINTER];
    }

    int owner(int index) {
        return GlobalPointer.rankOf(pointer(index));
    }

    /** Returns the object's size, 0 if it is not known. */
    long objectBytes(int index) {
        return words[index * WORDS + OBJECT_BYTES];
    }

    /** Returns the size of all objects, as far as known. */
    long bytes() {
        long bytes = 0;
        for (int index = 0; index < objects; index++) {
            bytes += objectBytes(index);
        }
        return bytes;
    }

    /** Returns false if the object's segment is lost. */
    boolean isThere(int index) {
        return GlobalPointer.offsetOf(pointer(index)) != 0;
    }
}
