package io.atoll.fabric.link;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The lives of this rank that others have met before they met this process. A rank that has lost its memory would begin
 * with an incarnation that it had before. Others would take it for that life. So its number must be above all that
 * others know.
 * <pre>
 *   this rank, without memory                      another one
 *   asks                     ------------------->  tells the last life that it has met
 *                            <-------------------  asks, and tells the same
 * </pre>
 * Only the first word of each other rank counts, whichever way it comes. A rank meets a life only after it has asked
 * for it. So its first word is of a life before this one, and a later word may be of this one.
 *
 * <p>As long as this process has not chosen its number, the first word of each incarnation of another rank counts. An
 * incarnation that has ended may know less than the next one. Ranks of this host meet this process by its file, without
 * asking it. So their words do not count. Instead, the number is above what they have noted in their files. Any thread
 * may use it.
 */
final class FormerIncarnations {

    private static final int UNTOLD = -1;

    private final LocalMemory segment;
    private final int rank;
    private final int incarnation;
    private final int[] told; // by rank, what each told first; guarded by this
    private final int[] tellers; // by rank, the last incarnation that has told this; guarded by this
    private volatile IntPredicate runsHere = _ -> false;
    private boolean hasChosen; // guarded by this
    private volatile int later;

    FormerIncarnations(LocalMemory segment, int rank, int incarnation, int size) {
        this.segment = segment;
        this.rank = rank;
        this.incarnation = incarnation;
        this.told = new int[size];
        Arrays.fill(told, UNTOLD);
        this.tellers = new int[size];
    }

    /** @param ranks accepts the ranks that run on this host */
    void leaveOut(IntPredicate ranks) {
        runsHere = ranks;
    }

    /**
     * Notes which life of this rank another rank knows as the last.
     *
     * @param teller the incarnation of the other rank
     */
    void note(int other, int teller, int met) {
        if (!runsHere.test(other)) {
            noteOfAnotherHost(other, teller, met);
        }
    }

    private synchronized void noteOfAnotherHost(int other, int teller, int met) {
        boolean isFirst = hasChosen ? told[other] == UNTOLD : teller > tellers[other];
        if (isFirst) {
            tellers[other] = teller;
            told[other] = Math.max(told[other], met);
            judge();
        }
    }

    /** Returns the last life of this rank that any other rank has told of so far, or 0. */
    synchronized int highest() {
        return Math.max(0, Arrays.stream(told).max().orElse(0));
    }

    /**
     * Tells that this process has chosen its number by what was told so far. From now on the number is wrong if another
     * rank knows a later life.
     */
    synchronized void isChosen() {
        hasChosen = true;
        judge();
    }

    private void judge() {
        if (hasChosen && highest() >= incarnation) {
            // The next process counts on from there, and takes over nothing from this segment.
            SegmentHeader.remember(segment, rank, highest());
            later = highest();
        }
    }

    /** Returns the life of this rank that another rank knows and that this process is not above, or 0. */
    int later() {
        return later;
    }
}
