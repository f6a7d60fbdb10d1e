package io.atoll.fabric.tcp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Records the frames of a lane that have not completed, by number. A new number takes a place only when the place's
 * former number has completed. Written under the lane's lock. The leader reads and clears the places of numbers that it
 * has seen posted.
 */
final class FrameRing {

    /** The most frames that are not completed. */
    static final int SIZE = 1 << 10;

    /**
     * The most bytes of answers that have not arrived. A thread that asks for more waits, so that other threads do not
     * wait for all of it.
     */
    static final long MOST_ANSWER_BYTES = 1 << 20;

    private final @Nullable Waiter[] waiters = new Waiter[SIZE];
    private final int[] firsts = new int[SIZE];
    private final int[] verbs = new int[SIZE];
    // Bytes of all answers up to and including this one, since the beginning.
    private final long[] answerEnds = new long[SIZE];
    private final int[] changing = new int[SIZE];

    private static int slot(long number) {
        return (int) number & (SIZE - 1);
    }

    /** Returns true if the next frame may be added. */
    boolean hasRoomFor(long number, long completed, int answerBytes) {
        return number - completed <= SIZE
                && answerEnds[slot(number - 1)] - answerEnds[slot(completed)] + answerBytes <= MOST_ANSWER_BYTES;
    }

    /**
     * Records a frame.
     *
     * @param waiter takes the answer; null if no thread waits for it
     * @param first the first of its verbs, in the waiter's numbering
     * @param answerBytes the size of its answer, if a thread waits for it
     * @param changes the number of its verbs that change something
     */
    void put(long number, @Nullable Waiter waiter, int first, int count, int answerBytes, int changes) {
        int slot = slot(number);
        waiters[slot] = waiter;
        firsts[slot] = first;
        verbs[slot] = count;
        answerEnds[slot] = answerEnds[slot(number - 1)] + answerBytes;
        changing[slot] = changes;
    }

    @Nullable Waiter waiter(long number) {
        return waiters[slot(number)];
    }

    int first(long number) {
        return firsts[slot(number)];
    }

    int verbs(long number) {
        return verbs[slot(number)];
    }

    int changes(long number) {
        return changing[slot(number)];
    }

    /** Forgets the waiter, so that the memory of its thread is not kept. */
    void clear(long number) {
        waiters[slot(number)] = null;
    }

    /** Forgets all waiters. */
    void clear() {
        Arrays.fill(waiters, null);
    }
}
