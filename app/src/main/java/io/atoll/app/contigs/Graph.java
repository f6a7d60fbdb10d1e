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
 * A de Bruijn graph over all ranks: its nodes are the k-mers that occur often enough, each with its reverse complement; two are neighbours where one ends as the other begins, but for
 * a base. A node knows the bases by which it can be extended:
 * <pre>
 *     7        4   3        0
 *   +------------+------------+
 *   |   left     |   right    |     of the canonical k-mer; bit b: by base b. Left as the reverse complement is extended to its right
 *   +------------+------------+
 * </pre>
 */
final class Graph {

    private static final int BASES = 4;
    private static final long RIGHT = (1 << BASES) - 1;

    /** In the count of a k-mer: its contig has been found. */
    private static final long FOUND = 1L << 40;

    /** A message of entries of 16 bytes. */
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

    /** Finds the neighbours of all nodes. Called by every rank; afterwards the graph is whole. */
    void build(int queueSize) throws InterruptedException {
        try (HashMapBuffer<Long, Long> buffer = extensions.buffer(queueSize, Math.min(MESSAGE, queueSize))) {
            forEachLocalCount((kmer, count) -> buffer.insert(kmer, extensionsOf(Strand.of(kmer, length))));
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
            if (counts.find(strand.next(base, length).canonical(), 0, Promise.onlyFinds()) >= minimum) {
                bases |= 1L << base;
            }
        }
        return bases;
    }

    // --- when it is whole ---

    int length() {
        return length;
    }

    /** The canonical k-mers that lie here. */
    void forEachLocal(LongConsumer kmers) {
        forEachLocalCount((kmer, count) -> kmers.accept(kmer));
    }

    /** Those of them that no contig has been found for. */
    void forEachLocalLeft(LongConsumer kmers) {
        forEachLocalCount((kmer, count) -> {
            if (count < FOUND) {
                kmers.accept(kmer);
            }
        });
    }

    void markFound(Strand strand) {
        counts.increment(strand.canonical(), FOUND);
    }

    /** What follows, if exactly one does, it follows nothing else, and is another k-mer. Cost: R, and R for what {@code strand} is followed by. */
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
        long found = Objects.requireNonNull(extensions.find(strand.canonical(), Promise.onlyFinds()), "a node");
        return strand.isCanonical() ? found & RIGHT : found >>> BASES;
    }
}
