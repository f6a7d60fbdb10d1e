package io.atoll.memory;

/**
 * The address of a word anywhere in the world. It is the rank that owns it and its offset, in bytes, in that rank's
 * segment (BCL, section 3).
 *
 * <p>In memory a pointer is one word, so that one compare-and-exchange can swing it:
 * <pre>
 *   63            48 47                                             0
 *   +---------------+------------------------------------------------+
 *   |      rank     |                     offset                     |     0 is null
 *   +---------------+------------------------------------------------+
 * </pre>
 *
 * <p>Offset 0 of every segment is its header, so no object ever lies at the null pointer.
 */
public record GlobalPointer(int rank, long offset) {

    /** Bits of the offset, below those of the rank. */
    public static final int OFFSET_BITS = 48;

    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    /** The number of ranks that 16 bits hold. A world has at most {@link WorldIdentity#MOST_RANKS} ranks. */
    private static final int RANKS = 1 << 16;

    /** Ranks from this one on are reserved for memory that belongs to no rank. */
    public static final int RESERVED_RANKS = 1 << 15;

    public static final GlobalPointer NULL = new GlobalPointer(0, 0);

    public GlobalPointer {
        if (rank < 0 || rank >= RANKS || offset < 0 || offset > OFFSET_MASK) {
            throw new IllegalArgumentException(
                    "a pointer has 16 bits of rank and 48 of offset: rank=" + rank + " offset=" + offset);
        }
    }

    public static GlobalPointer fromWord(long word) {
        return word == 0 ? NULL : new GlobalPointer(rankOf(word), offsetOf(word));
    }

    /** Returns the {@link #rank()} of the pointer that is this word, without making the pointer. */
    public static int rankOf(long word) {
        return (int) (word >>> OFFSET_BITS);
    }

    /** Returns the {@link #offset()} of the pointer that is this word, without making the pointer. */
    public static long offsetOf(long word) {
        return word & OFFSET_MASK;
    }

    public long toWord() {
        return (long) rank << OFFSET_BITS | offset;
    }

    public boolean isNull() {
        return rank == 0 && offset == 0;
    }

    /** Returns the pointer {@code bytes} further on in the same segment. */
    public GlobalPointer plus(long bytes) {
        return new GlobalPointer(rank, offset + bytes);
    }
}
