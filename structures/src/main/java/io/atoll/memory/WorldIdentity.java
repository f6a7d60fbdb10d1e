package io.atoll.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The facts on which all ranks of a world agree before they share anything.
 *
 * @param name up to {@link SegmentHeader#MAXIMUM_NAME_BYTES} letters, digits, dots, dashes and underscores
 * @param size the number of ranks that the world is founded with, from 1 to {@code maxSize}
 * @param maxSize the number of ranks that may ever be in it, at most {@link #MOST_RANKS}. Tables with an entry for each
 * rank have this many entries in a segment
 */
public record WorldIdentity(String name, int size, int maxSize) {

    /** The maximal number of ranks that may ever be in a world: a change of its view has 12 bits for the rank. */
    public static final int MOST_RANKS = 1 << 12;

    private static final int DEFAULT_MAX_SIZE = 64;

    public WorldIdentity {
        if (!name.matches("[A-Za-z0-9._-]{1," + SegmentHeader.MAXIMUM_NAME_BYTES + "}")) {
            throw new IllegalArgumentException(
                    "a world's name has 1 to " + SegmentHeader.MAXIMUM_NAME_BYTES
                            + " letters, digits, dots, dashes, underscores: name=" + name);
        }
        if (size < 1 || size > MOST_RANKS) {
            throw new IllegalArgumentException("a world has 1 to " + MOST_RANKS + " ranks: size=" + size);
        }
        if (maxSize < size || maxSize > MOST_RANKS) {
            throw new IllegalArgumentException("a world may have as many ranks as it is founded with, and " + MOST_RANKS
                    + " at most: maxSize=" + maxSize + " size=" + size);
        }
    }

    /** As above, for the number of ranks that {@link #defaultMaxSize} returns. */
    public WorldIdentity(String name, int size) {
        this(name, size, Math.min(defaultMaxSize(size), MOST_RANKS));
    }

    /** Returns the default for the ranks that may ever be in a world: 64, or {@code size} if that is more. */
    public static int defaultMaxSize(int size) {
        return Math.max(DEFAULT_MAX_SIZE, size);
    }

    /** Returns one word that differs between worlds. */
    public long id() {
        return Hashing.wyhashFinal4()
                .hashStream()
                .putByteArray(name.getBytes(UTF_8))
                .putInt(size)
                .putInt(maxSize)
                .getAsLong();
    }

    /** @throws IllegalArgumentException if the world has no such rank */
    public void checkRank(int rank) {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("ranks run from 0 to size - 1: rank=" + rank + " size=" + size);
        }
    }
}
