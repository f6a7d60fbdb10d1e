package io.atoll.memory;

/**
 * A pointer with a tag that changes at every swing, so that a compare-and-exchange fails though the same pointer is back
 * (the ABA problem; Dewan and Jenkins, section II-B, who need 128 bits for it). Still one word:
 * <pre>
 *   63            48 47                                16 15        0
 *   +---------------+------------------------------------+-----------+
 *   |      rank     |       offset in units of 64        |    tag    |
 *   +---------------+------------------------------------+-----------+
 * </pre>
 * The price: objects begin at multiples of {@link #UNIT} bytes in the first 256 GiB of a segment, and the tag wraps after 65,536 swings.
 */
public final class TaggedPointer {

    /** Objects that tagged pointers reach begin at multiples of this many bytes. */
    public static final long UNIT = 64;

    /** Bits of the tag, the lowest of the word. */
    public static final int TAG_BITS = 16;

    private static final int UNIT_BITS = 32;
    private static final long TAG_MASK = (1L << TAG_BITS) - 1;
    private static final long UNIT_MASK = (1L << UNIT_BITS) - 1;

    private TaggedPointer() {}

    public static long of(int rank, long offset, int tag) {
        long unit = offset / UNIT;
        if (rank < 0 || rank >= GlobalPointer.MAXIMUM_RANKS || offset < 0 || offset % UNIT != 0 || unit > UNIT_MASK) {
            throw new IllegalArgumentException(
                    "a tagged pointer has 16 bits of rank and 32 of offset in units of 64: rank=" + rank + " offset="
                            + offset);
        }
        return (long) rank << (TAG_BITS + UNIT_BITS) | unit << TAG_BITS | tag & TAG_MASK;
    }

    public static int rank(long word) {
        return (int) (word >>> (TAG_BITS + UNIT_BITS));
    }

    /** In bytes. */
    public static long offset(long word) {
        return (word >>> TAG_BITS & UNIT_MASK) * UNIT;
    }

    public static int tag(long word) {
        return (int) (word & TAG_MASK);
    }

    /** True for the pointer to nothing, whatever its tag. */
    public static boolean isNull(long word) {
        return word >>> TAG_BITS == 0;
    }

    /** What to swing the word {@code current} to, so that it points to the object and bears the next tag. */
    public static long next(long current, int rank, long offset) {
        return of(rank, offset, tag(current) + 1);
    }
}
