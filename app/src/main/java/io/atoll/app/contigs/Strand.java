package io.atoll.app.contigs;

import io.atoll.app.sequence.kmer.Kmer;

/**
 * A k-mer as it is read in one direction.
 *
 * @param forward the k-mer
 * @param reverse its reverse complement
 */
record Strand(long forward, long reverse) {

    static Strand of(long kmer, int length) {
        return new Strand(kmer, Kmer.reverseComplement(kmer, length));
    }

    /** The same k-mer in the other direction. */
    Strand turned() {
        return new Strand(reverse, forward);
    }

    /** What overlaps it in all but its first base, and ends with this one. */
    Strand next(int base, int length) {
        return of(Kmer.next(forward, base, length), length);
    }

    /** The same in both directions: what stands for the k-mer in maps. */
    long canonical() {
        return Math.min(forward, reverse);
    }

    boolean isCanonical() {
        return forward <= reverse;
    }
}
