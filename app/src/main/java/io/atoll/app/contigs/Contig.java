package io.atoll.app.contigs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.atoll.app.sequence.kmer.Kmer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A path through the graph that is as long as it can be while nothing is ambiguous: each k-mer but the last has one follower only, which follows nothing else.
 *
 * @param strands at least one
 */
record Contig(List<Strand> strands) {

    /** From its first k-mer on to its end, or once around a circle. */
    static Contig from(Strand first, Graph graph) {
        List<Strand> strands = new ArrayList<>(List.of(first));
        Optional<Strand> next = graph.next(first);
        while (next.isPresent() && next.get().canonical() != first.canonical()) {
            strands.add(next.get());
            next = graph.next(next.get());
        }
        return new Contig(strands);
    }

    /** Of the two ends from which it is found: the one that reports it. */
    boolean isFromItsReportingEnd() {
        return strands.size() == 1
                ? strands.getFirst().isCanonical()
                : strands.getFirst().canonical() < strands.getLast().canonical();
    }

    /** The same, of a circle: the smallest of all its k-mers. */
    boolean beginsWithItsSmallest() {
        long first = strands.getFirst().canonical();
        return strands.stream().allMatch(strand -> strand.canonical() >= first);
    }

    /** All bases, of the first k-mer, and the last one of each that follows. */
    String bases(int length) {
        byte[] bases = new byte[length + strands.size() - 1];
        for (int at = 0; at < strands.size(); at++) {
            if (at == 0) {
                Kmer.decode(strands.getFirst().forward(), bases, 0, length);
            } else {
                Kmer.decode(strands.get(at).forward() & 3, bases, length - 1 + at, 1);
            }
        }
        return new String(bases, US_ASCII);
    }
}
