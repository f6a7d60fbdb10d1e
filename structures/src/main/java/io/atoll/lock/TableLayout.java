package io.atoll.lock;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a table of locks takes of each rank's segment:
 * <pre>
 *       +-----------------+-----------------------+------------------------------+
 *       |  lines of the   |  the rank's requests  |  the rank's part of the      |
 *       |  rank's locks   |  for any lock         |  counts of every lock        |
 *       +-----------------+-----------------------+------------------------------+
 * </pre>
 * Lock i lies at rank i modulo the number of ranks. Before the requests is an entry for each rank that may ever be in the
 * world, see {@link Descriptor#headBytes}; behind them are their {@linkplain Note notes}, and the {@linkplain Demand demands} of all ranks.
 *
 * @param ranks that have locks
 * @param maxSize ranks that may ever be in the world
 * @param locks of all ranks
 * @param descriptors of each rank
 * @param counted whether there are counts
 */
public record TableLayout(int ranks, int maxSize, long locks, int descriptors, boolean counted) {

    private static final int RECIPROCAL_BITS = 62;

    /** From how the table stands in the directory. */
    public static TableLayout of(int ranks, int maxSize, String configuration) {
        Map<String, String> parts = Stream.of(configuration.split(" "))
                .map(part -> part.split("=", 2))
                .filter(part -> part.length == 2)
                .collect(Collectors.toMap(part -> part[0], part -> part[1]));
        return new TableLayout(ranks, maxSize, Long.parseLong(parts.getOrDefault("locks", "0")),
                Integer.parseInt(parts.getOrDefault("descriptors", "0")),
                Boolean.parseBoolean(parts.getOrDefault("counted", "false")));
    }

    /** The part of the configuration that this is. */
    @Override
    public String toString() {
        return "locks=" + locks + " descriptors=" + descriptors + " counted=" + counted;
    }

    /** What {@link #row} multiplies with, where a division would take as long as an exchange. */
    public static long reciprocal(int ranks) {
        return (1L << RECIPROCAL_BITS) / ranks + 1;
    }

    /** Which of its owner's lines the lock has: its index divided by the ranks, exactly while their product is less than 2^61. */
    public static long row(long index, long reciprocal) {
        return Math.multiplyHigh(index << Long.SIZE - RECIPROCAL_BITS, reciprocal);
    }

    /** By a division that the place of its line needs, too. */
    public int owner(long index) {
        return (int) (index - index / ranks * ranks);
    }

    /** Where the lock lies in what the table takes of its owner's segment. */
    public long line(long index) {
        return index / ranks * LockLine.SIZE;
    }

    /** Of all lines of a rank. */
    public long lineBytes() {
        return Math.ceilDiv(locks, ranks) * LockLine.SIZE;
    }

    /** Where requests begin. */
    public long requests() {
        return lineBytes();
    }

    /** Where notes begin. */
    public long notes() {
        return requests() + Descriptor.notes(maxSize, descriptors);
    }

    /** Where demands begin. */
    public long demands() {
        return requests() + Descriptor.demands(maxSize, descriptors);
    }

    /** Where counts begin. */
    public long counts() {
        return requests() + Descriptor.tableBytes(maxSize, descriptors);
    }

    public long bytes() {
        return counts() + (counted ? locks * CountLine.SIZE : 0);
    }
}
