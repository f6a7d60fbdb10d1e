package io.atoll.filter;

import java.util.Arrays;

/**
 * Tells how full a filter is, after a look at all its bits.
 *
 * @param bits the number of bits of all ranks together
 * @param setBits how many of them are set
 * @param falsePositiveRate the chance that {@code mightContain} is true of a random element that was never added. It is
 * exact for the bits as they are, and not the rate that was asked for
 * @param elements an estimate of how many different elements have been added; too low once nearly all bits are set
 */
public record Occupancy(long bits, long setBits, double falsePositiveRate, double elements) {

    /** @param wordsBySetBits the number of words for each number of set bits, 0 to 64 */
    public static Occupancy of(long[] wordsBySetBits, int patternBits) {
        BlockedRate rate = new BlockedRate(patternBits);
        long words = Arrays.stream(wordsBySetBits).sum();
        long setBits = 0;
        double falsePositiveRate = 0;
        for (int set = 0; set <= Long.SIZE; set++) {
            setBits += set * wordsBySetBits[set];
            falsePositiveRate += rate.ofBits(set) * wordsBySetBits[set] / words;
        }
        long bits = words * Long.SIZE;
        // An element leaves a bit of its word clear with the chance 1 - patternBits / 64. The number of a word's
        // elements is Poisson-distributed.
        double elements = -Math.log1p(-(double) setBits / bits) * bits / patternBits;
        return new Occupancy(bits, setBits, falsePositiveRate, elements);
    }

    /** Returns the share of the bits that is set, 0 to 1. */
    public double fill() {
        return (double) setBits / bits;
    }
}
