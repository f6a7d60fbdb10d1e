package io.atoll.memory;

/**
 * A pointer with a tag that changes at every swing, so that a compare-and-exchange fails though the same pointer is back
 * (the ABA problem; Dewan and Jenkins, section II-B, who need 128 bits for it). Still one word: the tag takes the bits that are 0 in a {@link GlobalPointer#toWord() pointer} to a
 * multiple of {@link #UNIT} bytes in the first 256 GiB of a segment, so that one instruction takes it off.
 * <pre>
 *   63            48 47      38 37                              6 5     0
 *   +---------------+----------+---------------------------------+-------+
 *   |      rank     |   tag    |      offset in units of 64      |  tag  |     {@link #TAG}: 16 bits
 *   +---------------+----------+---------------------------------+-------+
 *   |           tag            |      offset in units of 64      |  tag  |     {@link #LOCAL_TAG}: 32 bits, for pointers into one segment
 *   +--------------------------+---------------------------------+-------+
 * </pre>
 */
public final class TaggedPointer {

    /** Objects that tagged pointers reach begin at multiples of this many bytes. */
    public static final long UNIT = 64;

    private static final long RANK = -1L << GlobalPointer.OFFSET_BITS;
    private static final long UNITS = ((1L << Integer.SIZE) - 1) * UNIT;

    /** The bits of the tag. */
    public static final long TAG = ~(RANK | UNITS);

    /** The bits of the tag where everyone knows the rank. */
    public static final long LOCAL_TAG = RANK | TAG;

    private TaggedPointer() {}

    /** The tag alone after that of this word. It comes round after as many swings as its bits can tell apart. */
    public static long next(long word, long tag) {
        return (word | ~tag) + 1 & tag; // what is not the tag is ones, so that it passes a carry on
    }

    /** The tag of this word as a number. */
    public static int number(long word, long tag) {
        return (int) Long.compress(word, tag);
    }
}
