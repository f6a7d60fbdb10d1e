package io.atoll.view;

import io.atoll.memory.SegmentHeader;

/**
 * The word by which an elector takes part in the decision for one view. Its header has a ring of {@link #RING} words;
 * the word of view <i>v</i> is number <i>v mod 256</i>:
 * <pre>
 *   63        52 51        40 39        32 31                       0
 *   +-----------+------------+------------+--------------------------+
 *   | promised  |  accepted  | generation |          change          |
 *   +-----------+------------+------------+--------------------------+
 * </pre>
 * The change is that of the accepted ballot, {@link ViewChange#NONE} if that is 0. The generation is <i>v / 256</i>,
 * modulo 256. A word of an earlier generation is empty for this view: the exchange expects the word as it is.
 *
 * <p>A word of zero counts for nothing: its segment was made anew, and what it had promised before is lost. So the
 * owner makes all words {@linkplain #spent spent} before it is an elector; from then on none is ever zero. An exchange
 * that expects what the lost memory held fails there.
 *
 * @param promised no lower ballot is accepted any more
 * @param accepted the ballot of the change, 0 for none
 */
record ViewWord(int promised, int accepted, int generation, ViewChange viewChange) {

    /** Words in the ring of a header. */
    static final int RING = SegmentHeader.VIEW_WORDS;

    private static final int BALLOT_BITS = 12;
    private static final int SPENT = (1 << BALLOT_BITS) - 1; // as promised: higher than any ballot

    /** The highest ballot there is. */
    static final int MOST_BALLOT = SPENT - 1;

    private static final int GENERATIONS = 1 << Byte.SIZE;
    private static final int GENERATION_SHIFT = ViewChange.BITS;
    private static final int ACCEPTED_SHIFT = GENERATION_SHIFT + Byte.SIZE;
    private static final int PROMISED_SHIFT = ACCEPTED_SHIFT + BALLOT_BITS;

    /** A ballot contains its proposer's rank modulo this, so two proposers rarely choose the same ballot. */
    private static final int PROPOSERS = 8;

    static ViewWord fromWord(long word) {
        return new ViewWord((int) (word >>> PROMISED_SHIFT), (int) (word >>> ACCEPTED_SHIFT) & SPENT,
                (int) (word >>> GENERATION_SHIFT) & GENERATIONS - 1, ViewChange.fromBits(word & 0xFFFF_FFFFL));
    }

    long toWord() {
        return (long) promised << PROMISED_SHIFT | (long) accepted << ACCEPTED_SHIFT
                | (long) generation << GENERATION_SHIFT | viewChange.toBits();
    }

    /** Returns which word of the ring decides the view. */
    static int index(long view) {
        return (int) Math.floorMod(view, (long) RING);
    }

    private static int generation(long view) {
        return (int) Math.floorMod(Math.floorDiv(view, (long) RING), (long) GENERATIONS);
    }

    /**
     * Returns the word of that index. Its owner knows the view, and takes no part in views up to it.
     */
    static ViewWord spent(int index, long known) {
        long last = known - Math.floorMod(known - index, (long) RING);
        return new ViewWord(SPENT, 0, generation(last), ViewChange.NONE);
    }

    private static ViewWord empty(long view) {
        return new ViewWord(0, 0, generation(view), ViewChange.NONE);
    }

    /** Returns how the word's generation relates to the view's: negative if earlier, positive if later. */
    private int age(long view) {
        return (byte) (generation - generation(view));
    }

    /** Returns true if the owner takes no part in that view any more: it has gone on, or began later. */
    boolean isBeyond(long view) {
        return age(view) > 0 || age(view) == 0 && promised == SPENT;
    }

    /** Returns what the word says of the view. */
    ViewWord of(long view) {
        return age(view) < 0 ? empty(view) : this;
    }

    ViewWord promise(int ballot) {
        return new ViewWord(ballot, accepted, generation, viewChange);
    }

    ViewWord accept(ViewChange accepting) {
        return new ViewWord(promised, promised, generation, accepting);
    }

    /** Returns the rank's lowest ballot above the given one; more than {@link #MOST_BALLOT} if none is left. */
    static int ballotAbove(int ballot, int rank) {
        int index = rank % PROPOSERS;
        int round = Math.max(1, Math.ceilDiv(ballot + 1 - index, PROPOSERS));
        return round * PROPOSERS + index;
    }
}
