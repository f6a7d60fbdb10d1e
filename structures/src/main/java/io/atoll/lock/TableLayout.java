package io.atoll.lock;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The memory that a table of locks takes in each rank's segment:
 * <pre>
 *       +-----------------+-----------------------+------------------------------+
 *       |  lines of the   |  the rank's requests  |  the rank's part of the      |
 *       |  rank's locks   |  for any lock         |  counts of every lock        |
 *       +-----------------+-----------------------+------------------------------+
 * </pre>
 * Lock i lies at rank i modulo the number of ranks. An entry for each rank that may ever be in the world stands before
 * the requests, see {@link Descriptor#headBytes}. The {@linkplain Note notes} of the requests, and the
 * {@linkplain Demand demands} of all ranks, stand behind them.
 *
 * @param ranks the number of ranks that have locks
 * @param maxSize the largest number of ranks that may ever be in the world
 * @param locks the number of locks of all ranks
 * @param descriptors the number of descriptors of each rank
 * @param counted true if the table has counts
 */
public record TableLayout(int ranks, int maxSize, long locks, int descriptors, boolean counted) {

    private static final int RECIPROCAL_BITS = 62;

    /** Returns the layout that a table's configuration in the directory describes. */
    public static TableLayout of(int ranks, int maxSize, String configuration) {
        Map<String, String> parts = Stream.of(configuration.split(" "))
                .map(part -> part.split("=", 2))
                .filter(part -> part.length == 2)
                .collect(Collectors.toMap(part -> part[0], part -> part[1]));
        return new TableLayout(ranks, maxSize, Long.parseLong(parts.getOrDefault("locks", "0")),
                Integer.parseInt(parts.getOrDefault("descriptors", "0")),
                Boolean.parseBoolean(parts.getOrDefault("counted", "false")));
    }

    /** Returns the part of the configuration that describes this layout. */
    @Override
    public String toString() {
        return "locks=" + locks + " descriptors=" + descriptors + " counted=" + counted;
    }

    /** Returns the factor by which {@link #row} multiplies. A division would take as long as an exchange. */
    public static long reciprocal(int ranks) {
        return (1L << RECIPROCAL_BITS) / ranks + 1;
    }

    /**
     * Returns the number of the lock's line among its owner's lines: its index divided by the number of ranks. This is
     * exact while their product is less than 2^61.
     */
    public static long row(long index, long reciprocal) {
        return Math.multiplyHigh(index << Long.SIZE - RECIPROCAL_BITS, reciprocal);
    }

    /** Returns the rank that owns the lock. The division is the one that the place of the lock's line needs, too. */
    public int owner(long index) {
        return (int) (index - index / ranks * ranks);
    }

    /** Returns the offset of the lock in the table's part of its owner's segment. */
    public long line(long index) {
        return index / ranks * LockLine.SIZE;
    }

    /** Returns the number of bytes of all lines of a rank. */
    public long lineBytes() {
        return Math.ceilDiv(locks, ranks) * LockLine.SIZE;
    }

    /** Returns the offset of the requests. */
    public long requests() {
        return lineBytes();
    }

    /** Returns the offset of the notes. */
    public long notes() {
        return requests() + Descriptor.notes(maxSize, descriptors);
    }

    /** Returns the offset of the demands. */
    public long demands() {
        return requests() + Descriptor.demands(maxSize, descriptors);
    }

    /** Returns the offset of the counts. */
    public long counts() {
        return requests() + Descriptor.tableBytes(maxSize, descriptors);
    }

    public long bytes() {
        return counts() + (counted ? locks * CountLine.SIZE : 0);
    }
}
