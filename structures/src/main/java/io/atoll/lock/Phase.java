package io.atoll.lock;

/**
 * What a descriptor is in the middle of, and in which turn.
 * <pre>
 *    63                                             8 7          0
 *   +------------------------------------------------+------------+
 *   |                      turn                      |    kind    |     all zero: IDLE
 *   +------------------------------------------------+------------+
 * </pre>
 * Each use of the descriptor is a turn. So who releases a lock, and comes late because another thread has released it already, finds another turn and not another's lock.
 */
final class Phase {

    public static final long IDLE = 0;
    /** Somebody's, for no lock yet; of one that a thread keeps only that thread knows. */
    public static final long CLAIMED = 1;
    /** It is becoming the tail, and linking itself to who was before. */
    public static final long ENQUEUEING = 2;
    /** It found the queue closed. */
    public static final long BLOCKED = 3;
    public static final long WAITING = 4;
    /** It leads its cohort, and competes with the other one. */
    public static final long LEADING = 5;
    public static final long HOLDING = 6;
    public static final long RELEASING = 7;
    /** It has given up. It keeps its place in the queue until its turn comes and is passed over, or another thread of its process takes the place over. */
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

    /** Whether it stands behind another one in a queue. */
    public static boolean isInLine(long kind) {
        return kind == WAITING || kind == LEAVING;
    }
}
