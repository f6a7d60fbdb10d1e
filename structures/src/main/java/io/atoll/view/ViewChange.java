package io.atoll.view;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;

/**
 * A change that makes the next view from one view: a rank comes or goes. In a {@link ViewWord} it takes 32 bits:
 * <pre>
 *   31   28 27          16 15               0
 *   +------+--------------+-----------------+
 *   | kind |     rank     |   incarnation   |
 *   +------+--------------+-----------------+
 * </pre>
 *
 * @param incarnation of the rank; if the rank goes, this incarnation and all before it
 */
record ViewChange(Kind kind, int rank, int incarnation) {

    /** What happens to the rank. The ordinal is the number in the word. */
    public enum Kind {
        /** No change was accepted. */
        NONE,
        /** From now on the incarnation is a member, in place of any earlier one. */
        ADD,
        /** The incarnation, and any earlier one, is never a member again. */
        REMOVE
    }

    static final int BITS = Integer.SIZE;

    private static final int RANK_BITS = 12;
    private static final int INCARNATION_BITS = Short.SIZE;
    private static final int KIND_SHIFT = RANK_BITS + INCARNATION_BITS;

    static final ViewChange NONE = new ViewChange(Kind.NONE, 0, 0);

    public ViewChange {
        if (rank < 0 || rank >= WorldIdentity.MOST_RANKS || incarnation < 0
                || incarnation > SegmentHeader.MAXIMUM_INCARNATION) {
            throw new IllegalArgumentException(
                    "a word has 12 bits for the rank and 16 for its incarnation: rank=" + rank
                            + " incarnation=" + incarnation);
        }
    }

    public static ViewChange add(int rank, int incarnation) {
        return new ViewChange(Kind.ADD, rank, incarnation);
    }

    public static ViewChange remove(int rank, int incarnation) {
        return new ViewChange(Kind.REMOVE, rank, incarnation);
    }

    long toBits() {
        return (long) kind.ordinal() << KIND_SHIFT | (long) rank << INCARNATION_BITS | incarnation;
    }

    static ViewChange fromBits(long bits) {
        int kind = (int) (bits >>> KIND_SHIFT) & (1 << BITS - KIND_SHIFT) - 1;
        return new ViewChange(Kind.values()[kind], (int) (bits >>> INCARNATION_BITS) & (1 << RANK_BITS) - 1,
                (int) bits & (1 << INCARNATION_BITS) - 1);
    }

    @Override
    public String toString() {
        return kind + "(rank " + rank + ", incarnation " + incarnation + ")";
    }
}
