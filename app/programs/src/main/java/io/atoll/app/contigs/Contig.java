package io.atoll.app.contigs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.atoll.app.sequence.kmer.Kmer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A longest unambiguous path through the graph. Each k-mer but the last has exactly one follower, and this follower
 * follows no other k-mer.
 *
 * @param strands at least one
 */
record Contig(List<Strand> strands) {

    /** Returns the contig from its first k-mer to its end, or once around a circle. */
    static Contig from(Strand first, Graph graph) {
        List<Strand> strands = new ArrayList<>(List.of(first));
        Optional<Strand> next = graph.next(first);
        while (next.isPresent() && next.get().canonical() != first.canonical()) {
            strands.add(next.get());
            next = graph.next(next.get());
        }
        return new Contig(strands);
    }

    /** A path is found from both of its ends. Returns true if this contig was found from the end that reports it. */
    boolean isFromItsReportingEnd() {
        return strands.size() == 1
                ? strands.getFirst().isCanonical()
                : strands.getFirst().canonical() < strands.getLast().canonical();
    }

    /**
     * Returns true if the first k-mer of a circle is the smallest one. Only the circle found from there is reported.
     */
    boolean beginsWithItsSmallest() {
        long first = strands.getFirst().canonical();
        return strands.stream().allMatch(strand -> strand.canonical() >= first);
    }

    /** Returns the contig's bases: all bases of the first k-mer, and the last base of each further one. */
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
