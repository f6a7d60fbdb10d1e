package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * What is in a sealed bag, taken out of the segment at once: to look at one word after the other there would cost more than all that is done with them. Used by one thread
 * at a time.
 */
final class BagEntries {

    private static final int WORDS = (int) (Bag.ENTRY_BYTES / Layouts.WORD); // of an entry
    private static final int POINTER = (int) (Bag.POINTER / Layouts.WORD);
    private static final int OBJECT_BYTES = (int) (Bag.OBJECT_BYTES / Layouts.WORD);

    private final long[] words = new long[Bag.CAPACITY * WORDS];
    private final MemorySegment segment = MemorySegment.ofArray(words);
    private int objects;

    /** From now on it has what is in that bag. */
    BagEntries of(LocalMemory memory, long bag) {
        objects = (int) memory.get(bag + Bag.OBJECTS);
        memory.load(bag + Bag.entry(0), segment, 0, objects * Bag.ENTRY_BYTES);
        return this;
    }

    int objects() {
        return objects;
    }

    /** {@link GlobalPointer#toWord()} */
    long pointer(int index) {
        return words[index * WORDS + POINTER];
    }

    int owner(int index) {
        return GlobalPointer.rankOf(pointer(index));
    }

    /** 0 if it was not told. */
    long objectBytes(int index) {
        return words[index * WORDS + OBJECT_BYTES];
    }

    /** Of all of them, as far as it was told. */
    long bytes() {
        long bytes = 0;
        for (int index = 0; index < objects; index++) {
            bytes += objectBytes(index);
        }
        return bytes;
    }

    /** Whether it is not of a segment that is lost. */
    boolean isThere(int index) {
        return GlobalPointer.offsetOf(pointer(index)) != 0;
    }
}
