package io.atoll.memory;

/**
 * A pointer with a tag that changes at every swing. So a compare-and-exchange fails even if the same pointer is back:
 * the ABA problem. Dewan and Jenkins need 128 bits for this (section II-B). Here it is still one word. It holds
 * pointers to multiples of {@link #UNIT} bytes in the first 256 GiB of a segment.
 * <pre>
 *   63            48 47                                16 15           0
 *   +---------------+------------------------------------+--------------+
 *   |      rank     |        offset in units of 64       |     tag      |
 *   +---------------+------------------------------------+--------------+
 * </pre>
 *
 * <p>The tag is lowest, so that an addition makes the next one. The rank is where it is in a
 * {@link GlobalPointer#toWord() pointer}.
 */
public final class TaggedPointer {

    /** Objects that tagged pointers reach begin at multiples of this many bytes. */
    public static final long UNIT = 64;

    private static final int TAG_BITS = 16;
    private static final long TAG = (1L << TAG_BITS) - 1;
    private static final long RANK = -1L << GlobalPointer.OFFSET_BITS;
    private static final long UNITS = ~RANK & ~TAG;
    private static final int SHIFT = TAG_BITS - Long.numberOfTrailingZeros(UNIT);

    private TaggedPointer() {}

    /** Returns true if a tagged pointer can hold that pointer. */
    public static boolean reaches(long pointer) {
        return (pointer & ~(RANK | UNITS >>> SHIFT)) == 0;
    }

    /** Returns that pointer with tag 0. */
    public static long untagged(long pointer) {
        return pointer & RANK | pointer << SHIFT & UNITS;
    }

    /** Returns this word with tag 0. */
    public static long withoutTag(long word) {
        return word & ~TAG;
    }

    /** Returns the pointer in this word, whatever its tag. */
    public static long pointer(long word) {
        return word & RANK | (word & UNITS) >>> SHIFT;
    }

    /**
     * Returns the word that follows {@code word} when the pointer swings to {@code untagged}, which has tag 0. The tag
     * comes round after 2^16 swings.
     */
    public static long next(long untagged, long word) {
        return untagged | word + 1 & TAG;
    }

    public static int tag(long word) {
        return (int) (word & TAG);
    }
}
