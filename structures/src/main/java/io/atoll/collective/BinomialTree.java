package io.atoll.collective;

import java.util.stream.IntStream;

/**
 * The binomial tree (Paznikov, section 2.2) over positions that are shifted so that the root is 0. A position's parent
 * lacks its lowest bit. Its children have one more bit, below its lowest.
 * <pre>
 *             0
 *      4      2    1          over bit 2, 1, 0 of the root
 *    6   5    3
 *    7
 * </pre>
 * A member that is reached over some bit passes on over lower bits only. So a piece that waits at one member for room
 * at the next one never waits for itself. This holds whatever roots there are at once.
 */
final class BinomialTree {

    private BinomialTree() {}

    /** Returns how many bits the positions have: ceil(log2 members). This is the height of the tree. */
    public static int rounds(int members) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(members - 1);
    }

    /** Returns the bit over which a position other than the root is reached. */
    public static int bitToParent(int shifted) {
        return Integer.numberOfTrailingZeros(shifted);
    }

    public static int parent(int shifted) {
        return shifted & shifted - 1;
    }

    /**
     * Returns the bits over which a position has children, the highest first: the child whose subtree is the largest is
     * served first. In the order of figure 7, the lowest comes first. Then the tree of 2^k positions would take k(k +
     * 1)/2 stages instead of the k of section 3.
     */
    public static int[] bitsToChildren(int shifted, int members) {
        int bits = shifted == 0 ? rounds(members) : bitToParent(shifted);
        return IntStream.range(0, bits)
                .map(round -> bits - 1 - round)
                .filter(bit -> shifted + (1 << bit) < members)
                .toArray();
    }
}
