package io.atoll.fabric.link;

import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * What others have met of this rank before they met this process. A rank that has lost its memory would begin with a
 * number that it had before, and be taken for that life; so it must be above all that others know.
 * <pre>
 *   this rank, without memory                      another one
 *   asks                     ------------------->  tells the last life that it has met
 *                            <-------------------  asks, and tells the same
 * </pre>
 * Only the first word of each counts, whichever way it comes: a rank meets a life only after it has asked for it. So
 * what it says first is of a life before this one, and what it says later may be of this one. As long as the number is
 * not chosen, that is the first word of each process that the rank is: one that has ended may know less. Ranks of this host
 * meet this process without asking it, by its file. So what they say does not count: the number is above what they have
 * noted in theirs. For any thread.
 */
final class FormerLives {

    private static final int UNTOLD = -1;

    private final LocalMemory segment;
    private final int rank;
    private final int incarnation;
    private final int[] told; // by rank, what was first told by each; guarded by this
    private final int[] tellers; // by rank, the last incarnation that has told it; guarded by this
    private volatile IntPredicate runsHere = _ -> false;
    private boolean isNewcomer; // guarded by this
    private volatile int later;

    FormerLives(LocalMemory segment, int rank, int incarnation, int size) {
        this.segment = segment;
        this.rank = rank;
        this.incarnation = incarnation;
        this.told = new int[size];
        Arrays.fill(told, UNTOLD);
        this.tellers = new int[size];
    }

    /** @param ranks those that run on this host */
    void leaveOut(IntPredicate ranks) {
        runsHere = ranks;
    }

    /**
     * Another rank says what the last life of this one is that it knows.
     *
     * @param teller its own incarnation
     */
    void note(int other, int teller, int met) {
        if (!runsHere.test(other)) {
            noteOfAnotherHost(other, teller, met);
        }
    }

    private synchronized void noteOfAnotherHost(int other, int teller, int met) {
        boolean isFirst = isNewcomer ? told[other] == UNTOLD : teller > tellers[other];
        if (isFirst) {
            tellers[other] = teller;
            told[other] = Math.max(told[other], met);
            judge();
        }
    }

    /** Returns the last life of this rank that anybody knew who has told so far; 0 for none. */
    synchronized int highest() {
        return Math.max(0, Arrays.stream(told).max().orElse(0));
    }

    /** This process has chosen its number by what was told so far. From now on it is wrong if somebody knows a later one. */
    synchronized void isChosen() {
        isNewcomer = true;
        judge();
    }

    private void judge() {
        if (isNewcomer && highest() >= incarnation) {
            // The next process counts on from there, and takes nothing of this segment for its own.
            SegmentHeader.remember(segment, rank, highest());
            later = highest();
        }
    }

    /** Returns the life of this rank that somebody knows and that this process is not above, 0 if there is none. */
    int later() {
        return later;
    }
}
