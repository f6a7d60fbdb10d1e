package io.atoll.fabric.tcp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the frames of a lane that are not completed, by number. A place is given to another number only when
 * its own has completed. Written under the lane's lock; the leader reads and clears the places of numbers that it has
 * seen posted.
 */
final class FrameRing {

    /** Frames that are not completed, at most. */
    static final int SIZE = 1 << 10;

    /**
     * Bytes of answers that have not arrived, at most: whoever asks for more waits, so that others do not wait for all
     * of it.
     */
    static final long MOST_ANSWER_BYTES = 1 << 20;

    private final @Nullable Waiter[] waiters = new Waiter[SIZE];
    private final int[] firsts = new int[SIZE];
    private final int[] verbs = new int[SIZE];
    private final long[] answerEnds = new long[SIZE]; // bytes of answers up to and with this one, ever
    private final int[] changing = new int[SIZE];

    private static int slot(long number) {
        return (int) number & (SIZE - 1);
    }

    /** Returns whether the next frame may be added. */
    boolean hasRoomFor(long number, long completed, int answerBytes) {
        return number - completed <= SIZE
                && answerEnds[slot(number - 1)] - answerEnds[slot(completed)] + answerBytes <= MOST_ANSWER_BYTES;
    }

    /**
     * Notes a frame.
     *
     * @param waiter takes the answer; null where nobody waits
     * @param first of its verbs, as the waiter knows them
     * @param answerBytes of its answer, if somebody waits for it
     * @param changes verbs of it that change something
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

    /** Forgets who waits: the memory of a thread must not be kept. */
    void clear(long number) {
        waiters[slot(number)] = null;
    }

    /** Forgets everybody who waits. */
    void clear() {
        Arrays.fill(waiters, null);
    }
}
