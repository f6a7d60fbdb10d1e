package io.atoll.lock;

/**
 * The state of a descriptor, and the turn that it is in.
 * <pre>
 *    63                                             8 7          0
 *   +------------------------------------------------+------------+
 *   |                      turn                      |    kind    |     all zero: IDLE
 *   +------------------------------------------------+------------+
 * </pre>
 * Each use of the descriptor is a turn. A thread may release a lock late, after another thread has released it. It then
 * finds another turn, and releases no other thread's lock.
 */
final class Phase {

    public static final long IDLE = 0;
    /** A thread has claimed it, for no lock yet. If a thread keeps the descriptor, only that thread knows. */
    public static final long CLAIMED = 1;
    /** It is becoming the tail, and linking itself to its predecessor. */
    public static final long ENQUEUEING = 2;
    /** It found the queue closed. */
    public static final long BLOCKED = 3;
    public static final long WAITING = 4;
    /** It leads its cohort, and competes with the other one. */
    public static final long LEADING = 5;
    public static final long HOLDING = 6;
    public static final long RELEASING = 7;
    /**
     * It has given up. It keeps its place in the queue until its turn comes and is passed over. Another thread of its
     * process may take the place over before.
     */
    public static final long LEAVING = 8;

    private static final int TURN_SHIFT = Byte.SIZE;
    private static final long KIND_MASK = 0xFF;

    private Phase() {}

    public static long of(long turn, long kind) {
        return turn << TURN_SHIFT | kind;
    }

    public static long kind(long phase) {
        return phase & KIND_MASK;
    }

    public static long turn(long phase) {
        return phase >>> TURN_SHIFT;
    }

    /** Returns true if a descriptor of that kind stands behind another one in a queue. */
    public static boolean isInLine(long kind) {
        return kind == WAITING || kind == LEAVING;
    }
}
