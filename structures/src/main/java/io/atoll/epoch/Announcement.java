package io.atoll.epoch;

/**
 * The word by which a token tells every rank since which epoch it has been pinned.
 * <pre>
 *   63                            18 17               1   0
 *   +-------------------------------+------------------+---+
 *   |             epoch             |  pins, mod 2^17  | 1 |      all zero: not pinned
 *   +-------------------------------+------------------+---+
 * </pre>
 * The number of pins is for observers. If an observer finds the same word twice, the token has been pinned all the
 * time. The only exception: it was pinned a multiple of 131,072 times in between.
 */
public final class Announcement {

    public static final long UNPINNED = 0; // zeroed memory is a table of tokens that are not pinned

    private static final int EPOCH_SHIFT = 18;
    private static final long PINS_MASK = (1L << EPOCH_SHIFT - 1) - 1;

    private Announcement() {}

    public static long pinned(long epoch, long pins) {
        return epoch << EPOCH_SHIFT | (pins & PINS_MASK) << 1 | 1;
    }

    public static boolean isPinned(long word) {
        return word != UNPINNED;
    }

    /** Returns the epoch of a token that is pinned. */
    public static long epoch(long word) {
        return word >>> EPOCH_SHIFT;
    }

    /** Returns true if this token keeps the epoch from being ended. */
    public static boolean blocks(long word, long epoch) {
        return isPinned(word) && epoch(word) != epoch;
    }
}
