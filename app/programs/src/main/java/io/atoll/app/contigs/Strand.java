package io.atoll.app.contigs;

import io.atoll.app.sequence.kmer.Kmer;

/**
 * A k-mer, read in one direction.
 *
 * @param forward the k-mer
 * @param reverse its reverse complement
 */
record Strand(long forward, long reverse) {

    static Strand of(long kmer, int length) {
        return new Strand(kmer, Kmer.reverseComplement(kmer, length));
    }

    /** Returns the same k-mer in the other direction. */
    Strand turned() {
        return new Strand(reverse, forward);
    }

    /** Returns the strand that overlaps this one in all but its first base, and ends with the given base. */
    Strand next(int base, int length) {
        return of(Kmer.next(forward, base, length), length);
    }

    /** Returns the k-mer's representative in maps, which is the same for both directions. */
    long canonical() {
        return Math.min(forward, reverse);
    }

    boolean isCanonical() {
        return forward <= reverse;
    }
}
