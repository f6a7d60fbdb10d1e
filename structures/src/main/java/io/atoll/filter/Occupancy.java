package io.atoll.filter;

/**
 * How full a filter is, by a look at all its bits.
 *
 * @param bits of all ranks together
 * @param setBits how many of them are set
 * @param falsePositiveRate of the bits as they are: the chance that {@code mightContain} is true of an element drawn at
 * random that was never added. Exact, not the rate that was asked for
 * @param elements an estimate of how many different elements have been added; too low once nearly all bits are set
 */
public record Occupancy(long bits, long setBits, double falsePositiveRate, double elements) {

    /** The share of the bits that is set, 0 to 1. */
    public double fill() {
        return (double) setBits / bits;
    }
}
