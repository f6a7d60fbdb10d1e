package io.atoll.map;

import io.atoll.memory.TaggedPointer;

/**
 * The word by which a bucket refers to the {@link Payload} of its key:
 * <pre>
 *   63                       32   31      30                        0
 *   +--------------------------+---------+--------------------------+
 *   | offset, in units of 64   | several |          bytes           |      several: it has more than one key
 *   +--------------------------+---------+--------------------------+
 * </pre>
 */
final class PayloadReference {

    /** In the place of a reference: there is none. */
    static final long NONE = 0;

    private static final int OFFSET_SHIFT = 32;
    private static final long SEVERAL = 1L << 31;
    private static final long BYTES_MASK = SEVERAL - 1;
    private static final long LARGEST_OFFSET = TaggedPointer.UNIT << OFFSET_SHIFT;

    private PayloadReference() {}

    static long of(long offset, int bytes, boolean several) {
        if (offset >= LARGEST_OFFSET) {
            throw new IllegalStateException("references reach the first " + LARGEST_OFFSET
                    + " bytes of a segment, give it less: offset=" + offset);
        }
        return offset / TaggedPointer.UNIT << OFFSET_SHIFT | (several ? SEVERAL : 0) | bytes;
    }

    static long offset(long reference) {
        return (reference >>> OFFSET_SHIFT) * TaggedPointer.UNIT;
    }

    static int bytes(long reference) {
        return (int) (reference & BYTES_MASK);
    }

    static boolean hasSeveral(long reference) {
        return (reference & SEVERAL) != 0;
    }
}
