package io.atoll.epoch;

/**
 * The word by which a token tells every rank since which epoch it has been pinned.
 * <pre>
 *   63                            18 17               2  1      0
 *   +-------------------------------+------------------+------+---+
 *   |             epoch             |  pins, mod 2^16  | kept | 1 |      all zero: not pinned
 *   +-------------------------------+------------------+------+---+
 * </pre>
 * The number of pins is for observers. If an observer finds the same word twice, the token has been pinned all the
 * time. The only exception: it was pinned a multiple of 65,536 times in between.
 *
 * <p>A pin is kept if its operation is over, and changes of the process may still arrive: see {@link KeptPins}.
 */
public final class Announcement {

    public static final long UNPINNED = 0; // zeroed memory is a table of tokens that are not pinned

    private static final int EPOCH_SHIFT = 18;
    private static final int PINS_SHIFT = 2;
    private static final long PINS_MASK = (1L << EPOCH_SHIFT - PINS_SHIFT) - 1;
    private static final long KEPT = 2;

    private Announcement() {}

    public static long pinned(long epoch, long pins) {
        return epoch << EPOCH_SHIFT | (pins & PINS_MASK) << PINS_SHIFT | 1;
    }

    /** Returns the word of the same pin after its operation. */
    public static long kept(long word) {
        return word | KEPT;
    }

    /** Returns true if the pin has outlasted its operation. */
    public static boolean isKept(long word) {
        return (word & KEPT) != 0;
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
