package io.atoll.fabric;

import static io.atoll.memory.Layouts.word;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A test of one word of a record, in the buffer of a batch, for {@link Batch#search}. The word passes if the bits of
 * the mask lie between two bounds, both included, as unsigned numbers:
 * <pre>
 *   0              8      16         24
 *   +--------------+------+----------+----------+
 *   | displacement | mask | smallest | greatest |      smallest <= (word & mask) <= greatest
 *   +--------------+------+----------+----------+
 *   of the word in the record, in bytes
 * </pre>
 * The layout goes over the network as it is.
 */
public final class WordTest {

    public static final StructLayout LAYOUT = MemoryLayout.structLayout(word("displacement"), word("mask"),
            word("smallest"), word("greatest"));

    /** The bytes of a test. */
    public static final long BYTES = LAYOUT.byteSize();

    /** The most tests of a search. */
    public static final int MOST = 8;

    private static final long DISPLACEMENT = Layouts.offsetOf(LAYOUT, "displacement");
    private static final long MASK = Layouts.offsetOf(LAYOUT, "mask");
    private static final long SMALLEST = Layouts.offsetOf(LAYOUT, "smallest");
    private static final long GREATEST = Layouts.offsetOf(LAYOUT, "greatest");

    private static final long EVERY_BIT = -1;

    private WordTest() {}

    /**
     * Places a test in the buffer of a batch.
     *
     * @param position a multiple of 8
     * @param displacement of the word, in bytes from the beginning of the record; a multiple of 8
     * @param smallest unsigned, as {@code greatest}; no word passes if it is above that
     */
    public static void put(Batch batch, long position, long displacement, long mask, long smallest, long greatest) {
        batch.setWord(position + DISPLACEMENT, displacement);
        batch.setWord(position + MASK, mask);
        batch.setWord(position + SMALLEST, smallest);
        batch.setWord(position + GREATEST, greatest);
    }

    /** Places a test that only this word passes. */
    public static void putEqual(Batch batch, long position, long displacement, long expected) {
        put(batch, position, displacement, EVERY_BIT, expected, expected);
    }

    /** Returns the displacement of the word that the test at this position is for. */
    public static long displacement(MemorySegment tests, long position) {
        return tests.get(JAVA_LONG, position + DISPLACEMENT);
    }

    /** Returns true if the word passes the test at this position. */
    public static boolean passes(long word, MemorySegment tests, long position) {
        long bits = word & tests.get(JAVA_LONG, position + MASK);
        return Long.compareUnsigned(tests.get(JAVA_LONG, position + SMALLEST), bits) <= 0
                && Long.compareUnsigned(bits, tests.get(JAVA_LONG, position + GREATEST)) <= 0;
    }
}
