package io.atoll.app.contigs;

import io.atoll.World;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.promise.Promise;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * A de Bruijn graph over all ranks. Its nodes are the k-mers that occur often enough, each together with its reverse
 * complement. Two nodes are neighbours if one begins as the other ends, except for one base. A node knows the bases by
 * which it can be extended:
 * <pre>
 *     7        4   3        0
 *   +------------+------------+
 *   |   left     |   right    |     of the canonical k-mer; bit b: by base b
 *   +------------+------------+
 * </pre>
 *
 * <p>The left bits are those by which the reverse complement is extended to its right.
 */
final class Graph {

    private static final int BASES = 4;
    private static final long RIGHT = (1 << BASES) - 1;

    /** This bit in the count of a k-mer says that its contig has been found. */
    private static final long FOUND = 1L << 40;

    /** The number of entries of a message. An entry has 16 bytes. */
    private static final int MESSAGE = 256;

    private final int length;
    private final long minimum;
    private final LongLongMap counts;
    private final DistributedMap<Long, Long> extensions;

    /** @param counts of canonical k-mers, complete at all ranks */
    Graph(World world, LongLongMap counts, long nodes, int length, long minimum) {
        this.length = length;
        this.minimum = minimum;
        this.counts = counts;
        this.extensions = world.map("extensions", Long.class, Long.class).fixedCapacity(nodes).open();
    }

    /** Finds the neighbours of all nodes. Every rank calls it. The graph is complete when it returns. */
    void build(int queueSize) throws InterruptedException {
        try (HashMapBuffer<Long, Long> buffer = extensions.buffer(queueSize, Math.min(MESSAGE, queueSize))) {
            forEachLocalCount((kmer, count) -> buffer.putIfAbsent(kmer, extensionsOf(Strand.of(kmer, length))));
            buffer.flush();
        }
    }

    private void forEachLocalCount(LongLongMap.Visitor visitor) {
        counts.forEachLocal((kmer, count) -> {
            if (count >= minimum) {
                visitor.visit(kmer, count);
            }
        });
    }

    private long extensionsOf(Strand kmer) {
        return rightExtensions(kmer.turned()) << BASES | rightExtensions(kmer);
    }

    private long rightExtensions(Strand strand) {
        long bases = 0;
        for (int base = 0; base < BASES; base++) {
            if (counts.getOrDefault(strand.next(base, length).canonical(), 0, Promise.onlyReads()) >= minimum) {
                bases |= 1L << base;
            }
        }
        return bases;
    }

    // --- when it is whole ---

    int length() {
        return length;
    }

    /** Passes on the canonical k-mers that lie at this rank. */
    void forEachLocal(LongConsumer kmers) {
        forEachLocalCount((kmer, count) -> kmers.accept(kmer));
    }

    /** Passes on those local k-mers whose contig has not been found. */
    void forEachLocalLeft(LongConsumer kmers) {
        forEachLocalCount((kmer, count) -> {
            if (count < FOUND) {
                kmers.accept(kmer);
            }
        });
    }

    void markFound(Strand strand) {
        counts.addAndGet(strand.canonical(), FOUND);
    }

    /**
     * Returns the follower of a strand. Returns nothing unless there is exactly one, which is another k-mer and follows
     * nothing else. Cost: R, and R for the follower of {@code strand}.
     */
    Optional<Strand> next(Strand strand) {
        long bases = right(strand);
        if (Long.bitCount(bases) != 1) {
            return Optional.empty();
        }
        Strand next = strand.next(Long.numberOfTrailingZeros(bases), length);
        boolean isOther = next.canonical() != strand.canonical();
        return isOther && Long.bitCount(right(next.turned())) == 1 ? Optional.of(next) : Optional.empty();
    }

    private long right(Strand strand) {
        long found = Objects.requireNonNull(extensions.get(strand.canonical(), Promise.onlyReads()), "a node");
        return strand.isCanonical() ? found & RIGHT : found >>> BASES;
    }
}
