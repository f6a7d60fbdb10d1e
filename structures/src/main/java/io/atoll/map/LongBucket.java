package io.atoll.map;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One bucket of a map of longs, as it lies in the owner's segment. It is two words, of which the first says everything
 * but the key.
 * <pre>
 *       0         8         16
 *       +---------+---------+
 *       |  value  |   key   |
 *       +---------+---------+
 *
 *   value:   FREE --(1)--> RESERVED --(3)--> present <--change--> absent       RESERVED --void--> VOID
 *            FREE --move--> CLOSED           present, absent --move--> moved
 *
 *   +----+-----------------------------------------------------------------------------------+
 *   | 00 |  FREE (all zero), RESERVED, VOID, CLOSED; from 2^60 on moved: 2^61 + 2^59 + late  |
 *   | 01 |  absent: 2^61 + late; "late" is the sum of late additions, see below              |
 *   | 1  |  present: the value + 2^62                                                        |
 *   +----+-----------------------------------------------------------------------------------+
 * </pre>
 * The steps of an inserter ({@code LongWriter}) and of a reader ({@code LongReader}):
 * <ul>
 * <li>(1) reserve: compareAndExchange by the inserter of a new key, which then alone writes the key;
 * <li>(2) write: the key;
 * <li>(3) publish: the inserter's write of the value, after the key. From here on the key never changes, and the value
 * only by atomics;
 * <li>(4) read the value, which is the state;
 * <li>(5) read the key. No look at the value follows, since the key of a value never changes.
 * </ul>
 * Where the owner decides guards, one batch has all of these steps ({@code LongSearcher}), in this order:
 * <ul>
 * <li>(6) find: the owner looks at buckets, from the home's line on. It loads (4) and (5) of each, until one has the
 * key and a value that the operation can change;
 * <li>(7) change, as below, of the bucket that was found;
 * <li>(1), (2) and (3) at the home, if it is FREE;
 * <li>(4) and (5) of the home's line. If nothing was changed, the search goes on from there.
 * </ul>
 * One batch never both changes the bucket that (6) finds and inserts at the home. If (6) finds the key, no bucket on
 * the key's path is FREE, and a bucket never becomes FREE again.
 *
 * <p>Other steps of the value:
 * <ul>
 * <li>change: removal, and every insertion after it: compareAndExchange of this one word;
 * <li>void: by a thread that finds the inserter dead;
 * <li>move: by a thread that moves buckets to a larger block; of present and absent ones once they are copied. A bucket
 * that is moved or closed is final: its key is in the next block, or will be.
 * </ul>
 *
 * <p>A removed key keeps its bucket, and its word says "absent". So additions are exact. One getAndAdd adds, and
 * returns the former word, which tells if the key had a value. A late addition, a stray, comes after the removal or the
 * move. It adds to a word that stays absent or moved, and so has no effect.
 *
 * <p>Each thread has at most one late addition. It also has at most one addition that it checked before others brought
 * the value to the end of its range. The ranges of words have room for all of these, 2^60 or more on either side: for
 * the {@linkplain #LARGEST_DELTA largest} additions of 8,192 threads at once.
 */
final class LongBucket {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout(Layouts.word("value"), Layouts.word("key"));

    public static final long VALUE = Layouts.offsetOf(LAYOUT, "value");
    public static final long KEY = Layouts.offsetOf(LAYOUT, "key");
    public static final long SIZE = LAYOUT.byteSize();

    static final long FREE = 0; // zeroed memory is an empty map
    static final long VOID = 2;
    static final long CLOSED = 3;

    public static final long SMALLEST_VALUE = -(1L << 61);
    public static final long LARGEST_VALUE = (1L << 61) - 1;

    /** The largest amount of one addition, up or down. */
    public static final long LARGEST_DELTA = 1L << 47;

    /** The smallest word of a key that was not moved, as an unsigned number: present words are larger. */
    static final long SMALLEST_UNMOVED = 1L << 62;
    /** The smallest word of a key that has a value, as an unsigned number. */
    static final long SMALLEST_PRESENT = 1L << 63;

    static final long ABSENT = SMALLEST_UNMOVED | 1L << 61;
    static final long MOVED = 1L << 61 | 1L << 59;

    private static final long RESERVED = 1;
    private static final int KIND_SHIFT = 62;
    private static final int KEYED_SHIFT = 60; // moved words begin there
    private static final long ZERO = 1L << 63 | 1L << 62; // the value 0 when present

    private static final int RANK_SHIFT = 16;
    private static final int INCARNATION_SHIFT = 32;
    private static final long SHORT_MASK = 0xFFFF;

    private LongBucket() {}

    static long reserved(int rank, int incarnation) {
        return (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT | RESERVED;
    }

    static boolean isReserved(long word) {
        return !hasKey(word) && (word & SHORT_MASK) == RESERVED;
    }

    static int rank(long reserved) {
        return (int) (reserved >>> RANK_SHIFT & SHORT_MASK);
    }

    static int incarnation(long reserved) {
        return (int) (reserved >>> INCARNATION_SHIFT & SHORT_MASK);
    }

    public static boolean isPresent(long word) {
        return word < 0;
    }

    /** Returns true if the bucket has a key: its value is present, absent, or moved. */
    public static boolean hasKey(long word) {
        return word >>> KEYED_SHIFT != 0;
    }

    static boolean isMoved(long word) {
        return hasKey(word) && word >>> KIND_SHIFT == 0;
    }

    /** Returns true if no key will ever be found here, nor put here. */
    static boolean isFinal(long word) {
        return word == VOID || word == CLOSED || isMoved(word);
    }

    public static long present(long value) {
        return value + ZERO;
    }

    public static long value(long present) {
        return present - ZERO;
    }
}
