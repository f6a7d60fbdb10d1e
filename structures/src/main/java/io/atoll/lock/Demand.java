package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A demand of one rank that another rank end a hold. It is a mailbox in the segment of the rank that holds the lock.
 * Each rank that may demand has one.
 * <pre>
 *       0         8        16        24         32
 *       +---------+--------+---------+----------+
 *       |  asked  |  lock  |  token  |  answer  |
 *       +---------+--------+---------+----------+
 *
 *         asked                            answer
 *          63     56 55      40 39     0     63                      8 7       0
 *         +---------+----------+--------+   +-------------------------+---------+
 *         |    0    | incarn.  | count  |   |     asked, it answers   | outcome |
 *         +---------+----------+--------+   +-------------------------+---------+
 * </pre>
 * One process of the demanding rank writes asked, lock and token, by verbs. The process that holds the lock writes the
 * answer, by its CPU. The lock is a {@link Descriptor#lock} word, and the token is that of its line. Asked is zero
 * while nothing is demanded, else a number that does not return.
 */
final class Demand {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("asked"), //
            Layouts.word("lock"), //
            Layouts.word("token"), //
            Layouts.word("answer"));

    public static final long ASKED = Layouts.offsetOf(LAYOUT, "asked");
    public static final long LOCK = Layouts.offsetOf(LAYOUT, "lock");
    public static final long TOKEN = Layouts.offsetOf(LAYOUT, "token");
    public static final long ANSWER = Layouts.offsetOf(LAYOUT, "answer");
    public static final long SIZE = LAYOUT.byteSize();

    /** Value of asked while nothing is demanded. */
    public static final long NOTHING = 0;

    /** The demand has ended the hold. The holder has not released it. */
    public static final long DONE = 1;
    /** A thread of the process holds the lock, by another token. */
    public static final long HOLDER_CHANGED = 2;
    /** No thread of the process holds the lock. */
    public static final long NOT_HELD = 3;

    private static final int COUNT_BITS = 40;
    private static final int OUTCOME_BITS = Byte.SIZE;
    private static final long OUTCOME_MASK = 0xFF;

    private Demand() {}

    /**
     * Returns the number of a demand.
     *
     * @param incarnation the incarnation of the demanding rank
     * @param count the number of the demand in that incarnation, from 1
     */
    public static long asked(int incarnation, long count) {
        return (long) incarnation << COUNT_BITS | count & (1L << COUNT_BITS) - 1;
    }

    public static long answer(long asked, long outcome) {
        return asked << OUTCOME_BITS | outcome;
    }

    /** Returns true if the answer is that to this demand. */
    public static boolean isAnswered(long asked, long answer) {
        return answer >>> OUTCOME_BITS == asked;
    }

    public static long outcome(long answer) {
        return answer & OUTCOME_MASK;
    }
}
