package io.atoll.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;

/**
 * What all ranks of a world agree on before they share anything.
 *
 * @param name up to {@link SegmentHeader#MAXIMUM_NAME_BYTES} letters, digits, dots, dashes and underscores
 * @param size how many ranks the world has, 1 to {@link GlobalPointer#MAXIMUM_RANKS}
 */
public record WorldIdentity(String name, int size) {

    /** Ranks that may ever be in a world, at most: a view's change has 12 bits for the rank. */
    public static final int MOST_RANKS = 1 << 12;

    public WorldIdentity {
        if (!name.matches("[A-Za-z0-9._-]{1," + SegmentHeader.MAXIMUM_NAME_BYTES + "}")) {
            throw new IllegalArgumentException(
                    "a world's name has 1 to " + SegmentHeader.MAXIMUM_NAME_BYTES
                            + " letters, digits, dots, dashes, underscores: name=" + name);
        }
        if (size < 1 || size > GlobalPointer.MAXIMUM_RANKS) {
            throw new IllegalArgumentException(
                    "a pointer has 16 bits for the rank, so a world has 1 to " + GlobalPointer.MAXIMUM_RANKS
                            + " ranks: size=" + size);
        }
    }

    /** One word that differs between worlds. */
    public long id() {
        return Hashing.wyhashFinal4().hashStream().putByteArray(name.getBytes(UTF_8)).putInt(size).getAsLong();
    }

    /** @throws IllegalArgumentException if it is none of this world's */
    public void checkRank(int rank) {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("ranks run from 0 to size - 1: rank=" + rank + " size=" + size);
        }
    }
}
