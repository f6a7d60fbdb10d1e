package io.atoll.app.sequence.kmer;

import java.util.Arrays;

/**
 * A k-mer as a long, with two bits for each base: A 0, C 1, G 2, T 3. The first base is highest, so numbers have the
 * order of the texts. {@code 3 - code} is the complement.
 */
public final class Kmer {

    /** With this limit every k-mer is a positive long, with one bit to spare. */
    public static final int MAXIMUM_LENGTH = 31;

    static final int BITS_PER_BASE = 2;

    /** The code of any letter that is not a base. */
    static final byte NO_BASE = -1;

    private static final String BASES = "ACGT";

    private static final byte[] CODES = new byte[1 << Byte.SIZE];

    static {
        Arrays.fill(CODES, NO_BASE);
        for (byte code = 0; code < BASES.length(); code++) {
            CODES[BASES.charAt(code)] = code;
            CODES[Character.toLowerCase(BASES.charAt(code))] = code;
        }
    }

    private Kmer() {}

    /** Returns 0 to 3 for a base in either case, {@link #NO_BASE} for everything else. */
    static byte code(byte letter) {
        return CODES[Byte.toUnsignedInt(letter)];
    }

    /** Returns the bits that a k-mer of this length has. */
    static long mask(int length) {
        return (1L << BITS_PER_BASE * length) - 1;
    }

    /** Returns the bases in reverse order, each replaced by its complement: the same place on the other strand. */
    public static long reverseComplement(long kmer, int length) {
        long rest = kmer;
        long reverse = 0;
        for (int base = 0; base < length; base++) {
            reverse = reverse << BITS_PER_BASE | 3 - (rest & 3);
            rest >>>= BITS_PER_BASE;
        }
        return reverse;
    }

    /** Returns the k-mer that overlaps this one in all but its first base, and ends with the given base. */
    public static long next(long kmer, int base, int length) {
        return (kmer << BITS_PER_BASE | base) & mask(length);
    }

    /** Writes the text, {@code length} letters from {@code at} on. */
    public static void decode(long kmer, byte[] target, int at, int length) {
        long rest = kmer;
        for (int base = length - 1; base >= 0; base--) {
            target[at + base] = (byte) BASES.charAt((int) rest & 3);
            rest >>>= BITS_PER_BASE;
        }
    }
}
