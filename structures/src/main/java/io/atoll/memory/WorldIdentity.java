package io.atoll.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;

/**
 * What all ranks of a world agree on before they share anything.
 *
 * @param name up to {@link SegmentHeader#MAXIMUM_NAME_BYTES} letters, digits, dots, dashes and underscores
 * @param size how many ranks the world is founded with, 1 to the next
 * @param maxSize how many ranks may ever be in it, up to {@link #MOST_RANKS}: what has an entry a rank in a segment has so
 * many
 */
public record WorldIdentity(String name, int size, int maxSize) {

    /** Ranks that may ever be in a world, at most: a change of its view has 12 bits for the rank. */
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

    /** As above, for as many ranks as {@link #defaultMaxSize} says. */
    public WorldIdentity(String name, int size) {
        this(name, size, Math.min(defaultMaxSize(size), MOST_RANKS));
    }

    /** Returns how many ranks may be in a world that is not told: 64, or as many as it is founded with. */
    public static int defaultMaxSize(int size) {
        return Math.max(DEFAULT_MAX_SIZE, size);
    }

    /** One word that differs between worlds. */
    public long id() {
        return Hashing.wyhashFinal4()
                .hashStream()
                .putByteArray(name.getBytes(UTF_8))
                .putInt(size)
                .putInt(maxSize)
                .getAsLong();
    }

    /** @throws IllegalArgumentException if it is none of this world's */
    public void checkRank(int rank) {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("ranks run from 0 to size - 1: rank=" + rank + " size=" + size);
        }
    }
}
