package io.atoll.filter;

import io.atoll.memory.Layouts;

/**
 * Tells how much memory a filter needs, and how it uses it. A caller can ask before there is a filter.
 *
 * <p>A filter is made of blocks of one word: so one atomic adds an element and tells if it was new. Blocks cost memory,
 * the more the lower the rate. An element takes 12.2 bits at 1 %, 23.8 at 0.1 % and 44 at 0.01 %. In a filter without
 * blocks these are 9.6, 14.4 and 19.2 bits. At {@link #LOWEST_RATE} an element takes 154 bits. Below that, an exact map
 * is the better set.
 *
 * @param expectedElements how many different elements it is made for, over all ranks, 1 to 2^50; with more, the rate
 * rises
 * @param falsePositiveRate the rate that was asked for, from {@link #LOWEST_RATE} to {@link #HIGHEST_RATE}
 * @param bitsPerElement the bits of memory for each element
 * @param patternBits how many bits of its word an element sets, 1 to 12
 */
public record FilterSize(long expectedElements, double falsePositiveRate, double bitsPerElement, int patternBits) {

    public static final double LOWEST_RATE = 1e-6;
    public static final double HIGHEST_RATE = 0.5;

    // Chance decides which elements share a block, and which are asked for. So a filter of 100,000 elements strays from
    // the expected rate: by 1 % of a rate of 1 %, by 2 % of 0.1 %. The margin keeps a measured rate under the asked
    // one.
    private static final double MARGIN = 0.9;

    /** More do not fit into all segments that pointers reach. */
    private static final long MOST_ELEMENTS = 1L << 50;

    /** @throws IllegalArgumentException if the rate or another number is out of range */
    public FilterSize {
        if (expectedElements < 1 || expectedElements > MOST_ELEMENTS) {
            throw new IllegalArgumentException("from 1 to 2^50: expectedElements=" + expectedElements);
        }
        if (!(falsePositiveRate >= LOWEST_RATE && falsePositiveRate <= HIGHEST_RATE)) {
            throw new IllegalArgumentException("a false positive rate is from " + LOWEST_RATE + " to " + HIGHEST_RATE
                    + ", below it an exact map is the better set: falsePositiveRate=" + falsePositiveRate);
        }
        if (!(bitsPerElement > 0) || patternBits < 1 || patternBits > BlockedRate.MOST_PATTERN_BITS) {
            throw new IllegalArgumentException("some memory, and 1 to " + BlockedRate.MOST_PATTERN_BITS
                    + " bits of a word: bitsPerElement=" + bitsPerElement + " patternBits=" + patternBits);
        }
    }

    /**
     * Returns the smallest filter that keeps the rate when all expected elements have been added. A tenth of the rate
     * is to spare.
     *
     * @throws IllegalArgumentException if the number or the rate is out of range
     */
    public static FilterSize of(long expectedElements, double falsePositiveRate) {
        double most = 0;
        int patternBits = 0;
        for (int bits = 1; bits <= BlockedRate.MOST_PATTERN_BITS; bits++) {
            double elementsPerBlock = new BlockedRate(bits).elementsPerBlock(MARGIN * falsePositiveRate);
            if (elementsPerBlock > most) {
                most = elementsPerBlock;
                patternBits = bits;
            }
        }
        return new FilterSize(expectedElements, falsePositiveRate, BlockedRate.BLOCK_BITS / most, patternBits);
    }

    /** Returns the bytes of all ranks together. */
    public long bytes(int ranks) {
        return bytesPerRank(ranks) * ranks;
    }

    /** Returns the bytes in each rank's segment, in a world of {@code ranks} ranks: whole cache lines. */
    public long bytesPerRank(int ranks) {
        if (ranks < 1) {
            throw new IllegalArgumentException("a world has at least one rank: ranks=" + ranks);
        }
        long bytes = (long) Math.ceil(expectedElements * bitsPerElement / Byte.SIZE);
        return Layouts.roundUp(Math.ceilDiv(bytes, ranks), Layouts.CACHE_LINE);
    }
}
