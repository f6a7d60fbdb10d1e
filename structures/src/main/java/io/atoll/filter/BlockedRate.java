package io.atoll.filter;

/**
 * Calculates how often a filter of 64-bit blocks says "perhaps" of an element that was never added. This is the price
 * of blocking (Putze, Sanders and Singler, JEA 2009), and the result is exact.
 *
 * <p>Blocks are filled unevenly: the number of elements of a block is Poisson-distributed. The crowded blocks answer
 * wrongly more often than the empty ones make good. The usual formula {@code (1 - e^(-kn/m))^k} assumes that the bits
 * of one block are independent. They are not: it promises a rate that a block so small does not keep. So the number of
 * set bits is followed from element to element as a Markov chain. Each element sets {@code patternBits} different bits.
 * (With repetitions, the bits would need 2.5 % more memory at a rate of 1 %, and 4 % at 0.1 %.)
 */
final class BlockedRate {

    static final int BLOCK_BITS = Long.SIZE;

    /** More bits do not pay at any rate that a filter can be asked for. */
    static final int MOST_PATTERN_BITS = 12;

    // A block never has more elements than that. If it had, it would be counted as full.
    private static final int MOST_ELEMENTS = 256;

    private static final double MOST_ELEMENTS_PER_BLOCK = BLOCK_BITS;

    private static final double[][] CHOOSE = choose();

    private final int patternBits;
    private final double[] ofElements; // the rate of a block, by its number of elements

    BlockedRate(int patternBits) {
        this.patternBits = patternBits;
        this.ofElements = new double[MOST_ELEMENTS + 1];
        double[] chances = new double[BLOCK_BITS + 1]; // the chance of each number of set bits
        chances[0] = 1;
        for (int elements = 0; elements <= MOST_ELEMENTS; elements++) {
            for (int set = 0; set <= BLOCK_BITS; set++) {
                ofElements[elements] += chances[set] * ofBits(set);
            }
            chances = withAnother(chances);
        }
    }

    private static double[][] choose() {
        double[][] choose = new double[BLOCK_BITS + 1][MOST_PATTERN_BITS + 1];
        for (int from = 0; from <= BLOCK_BITS; from++) {
            choose[from][0] = 1;
            for (int count = 1; from > 0 && count <= MOST_PATTERN_BITS; count++) {
                choose[from][count] = choose[from - 1][count - 1] + choose[from - 1][count];
            }
        }
        return choose;
    }

    private double[] withAnother(double[] chances) {
        double[] next = new double[BLOCK_BITS + 1];
        for (int set = 0; set <= BLOCK_BITS; set++) {
            for (int added = 0; added <= Math.min(patternBits, BLOCK_BITS - set); added++) {
                double ways = CHOOSE[set][patternBits - added] * CHOOSE[BLOCK_BITS - set][added];
                next[set + added] += chances[set] * ways / CHOOSE[BLOCK_BITS][patternBits];
            }
        }
        return next;
    }

    /** Returns the rate of a block that has {@code set} bits set: the share of all patterns that these bits contain. */
    double ofBits(int set) {
        return CHOOSE[set][patternBits] / CHOOSE[BLOCK_BITS][patternBits];
    }

    /** Returns the rate of a block that has {@code elements} elements. */
    double ofBlock(int elements) {
        return ofElements[elements];
    }

    /** Returns the rate of a filter that has {@code elementsPerBlock} elements per block on average. */
    double ofFilter(double elementsPerBlock) {
        // StrictMath: two processes on different hardware must come to the same size.
        double chance = StrictMath.exp(-elementsPerBlock);
        double rest = 1;
        double rate = 0;
        for (int elements = 0; elements <= MOST_ELEMENTS; elements++) {
            rate += chance * ofElements[elements];
            rest -= chance;
            chance *= elementsPerBlock / (elements + 1);
        }
        return rate + Math.max(0, rest);
    }

    /** Returns the most elements per block, on average, with which the rate is not above the given one. */
    double elementsPerBlock(double rate) {
        double enough = 0;
        double tooMany = MOST_ELEMENTS_PER_BLOCK;
        for (double middle = tooMany / 2; enough < middle && middle < tooMany; middle = (enough + tooMany) / 2) {
            if (ofFilter(middle) <= rate) {
                enough = middle;
            } else {
                tooMany = middle;
            }
        }
        return enough;
    }
}
