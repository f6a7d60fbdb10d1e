package io.atoll.filter;

/**
 * How often a filter of 64-bit blocks says "perhaps" of what was never added: the price of blocking (Putze, Sanders and
 * Singler, JEA 2009), reckoned exactly.
 *
 * <p>Blocks are filled unevenly: how many elements a block has is Poisson-distributed, and the crowded ones answer
 * wrongly more often than the empty ones make good. Nor are the bits of one block independent, as the usual formula
 * {@code (1 - e^(-kn/m))^k} has it: it promises a rate that a block so small does not keep. So the number of set bits is
 * followed from element to element as a Markov chain, each element setting {@code patternBits} different bits. (Bits
 * drawn with repetitions would need 2.5 % more memory at a rate of 1 %, and 4 % more at 0.1 %.)
 */
final class BlockedRate {

    static final int BLOCK_BITS = Long.SIZE;

    /** More do not pay at any rate that a filter can be asked for. */
    static final int MOST_PATTERN_BITS = 12;

    // More elements than that are never in one block, and if they were, it would be reckoned as full.
    private static final int MOST_ELEMENTS = 256;

    private static final double MOST_ELEMENTS_PER_BLOCK = BLOCK_BITS;

    private static final double[][] CHOOSE = choose();

    private final int patternBits;
    private final double[] ofElements; // the rate of a block with so many elements

    BlockedRate(int patternBits) {
        this.patternBits = patternBits;
        this.ofElements = new double[MOST_ELEMENTS + 1];
        double[] chances = new double[BLOCK_BITS + 1]; // of so many bits being set
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

    /** The rate of a block that has so many bits set: the share of all patterns that these bits contain. */
    double ofBits(int set) {
        return CHOOSE[set][patternBits] / CHOOSE[BLOCK_BITS][patternBits];
    }

    /** The rate of a block that has so many elements. */
    double ofBlock(int elements) {
        return ofElements[elements];
    }

    /** The rate of a filter that has so many elements per block on average. */
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

    /** The most elements per block, on average, with which the rate is not above the given one. */
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
