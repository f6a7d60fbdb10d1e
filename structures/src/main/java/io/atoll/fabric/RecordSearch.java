package io.atoll.fabric;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/** Looks for the first record that passes all {@linkplain WordTest tests}. For one thread at a time. */
public final class RecordSearch {

    /** The displacement of no record. */
    public static final int NOWHERE = -1;

    private long word;
    private int displacement = NOWHERE;

    /**
     * Returns true if a search can look like this.
     *
     * @param bytes of all records together
     * @param tests the memory in which the tests lie, one behind the other, from {@code position} on
     * @param number of the tests
     */
    public static boolean isPossible(long bytes, long stride, MemorySegment tests, long position, int number) {
        if (stride <= 0 || stride % Layouts.WORD != 0 || bytes <= 0 || bytes > Batch.SEARCH_BYTES
                || bytes % stride != 0 || number < 1 || number > WordTest.MOST) {
            return false;
        }
        for (int test = 0; test < number; test++) {
            long at = WordTest.displacement(tests, position + test * WordTest.BYTES);
            if (at < 0 || at > stride - Layouts.WORD || at % Layouts.WORD != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Looks at the records, which lie in the memory from {@code offset} on. The words of a record are loaded in the
     * order of their tests, until one fails.
     *
     * @param bytes of all records together
     */
    public void run(LocalMemory records, long offset, long bytes, long stride, MemorySegment tests, long position,
            int number) {
        word = 0;
        displacement = NOWHERE;
        for (long at = 0; at < bytes; at += stride) {
            long first = load(records, offset + at, tests, position);
            if (WordTest.passes(first, tests, position)
                    && passesOthers(records, offset + at, tests, position, number)) {
                word = first;
                displacement = (int) at;
                return;
            }
        }
    }

    private static boolean passesOthers(LocalMemory records, long record, MemorySegment tests, long position,
            int number) {
        for (int test = 1; test < number; test++) {
            long at = position + test * WordTest.BYTES;
            if (!WordTest.passes(load(records, record, tests, at), tests, at)) {
                return false;
            }
        }
        return true;
    }

    private static long load(LocalMemory records, long record, MemorySegment tests, long position) {
        return records.getAcquire(record + WordTest.displacement(tests, position));
    }

    /** Returns the word of the first test in the record found, as it was loaded for the test; 0 if none was found. */
    public long word() {
        return word;
    }

    /** Returns the bytes from the first record to the record found, or {@link #NOWHERE}. */
    public int displacement() {
        return displacement;
    }
}
