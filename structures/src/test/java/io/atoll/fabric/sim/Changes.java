package io.atoll.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * The last changes of words, numbered, so that a load that takes effect early finds a former value. A moment is the
 * number of changes before it.
 */
final class Changes {

    private static final int KEPT = 128;

    private final @Nullable SimSegment[] segments = new SimSegment[KEPT];
    private final long[] offsets = new long[KEPT];
    private final long[] before = new long[KEPT];
    private final @Nullable SimThread[] authors = new SimThread[KEPT];
    private @Nullable SimThread author;
    private long now;

    void add(SimSegment segment, long offset, long valueBefore) {
        int at = (int) (now++ % KEPT);
        segments[at] = segment;
        offsets[at] = offset;
        before[at] = valueBefore;
        authors[at] = author;
    }

    /** Sets the thread whose step makes the following changes. */
    void by(@Nullable SimThread thread) {
        author = thread;
    }

    boolean isBy(SimThread thread, long change) {
        return authors[(int) (change % KEPT)] == thread;
    }

    long now() {
        return now;
    }

    /** Returns the last change of the word before {@code moment} and not before {@code earliest}, or -1. */
    long lastOf(SimSegment segment, long offset, long moment, long earliest) {
        for (long change = moment - 1; change >= Math.max(earliest, now - KEPT); change--) {
            int at = (int) (change % KEPT);
            if (segments[at] == segment && offsets[at] == offset) {
                return change;
            }
        }
        return -1;
    }

    /** Returns the value of the word before that change. */
    long before(long change) {
        return before[(int) (change % KEPT)];
    }
}
