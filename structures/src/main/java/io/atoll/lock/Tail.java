package io.atoll.lock;

/**
 * The tail of a cohort's queue. It is free, or names the last descriptor in the queue, or the queue is under repair.
 * <pre>
 *    63          48 47            32 31          16 15      3    2     1      0
 *   +--------------+----------------+--------------+---------+-------+--------+
 *   |     rank     |  incarnation   |  descriptor  |  epoch  | alone |  kind  |     all zero: FREE
 *   +--------------+----------------+--------------+---------+-------+--------+
 * </pre>
 * The epoch is 0, or the number of the repair since which the queue has not been empty. A request that enqueues takes
 * over the epoch of the tail before it. So a link from before a repair is recognised by its epoch. Such a link would be
 * mistaken only if a lock were repaired 2^13 times while one request holds it. A closed tail has a number in the place
 * of the descriptor: that of the repair among those of its rank.
 *
 * <p>The local cohort's queue is never repaired. Its epochs begin with {@link #inTurn}: the turn of a descriptor that
 * found the queue empty, and stands there alone. Requests behind it take over that epoch, but not the bit. A descriptor
 * that stands behind others, or is used by a request, may have any epoch. That may be the epoch of a former turn of its
 * own. The bit tells the two apart for a thread that releases a former turn late.
 */
final class Tail {

    public static final long FREE = 0;

    private static final long DESCRIPTOR = 1;
    private static final long CLOSED = 2;
    private static final long CLOSED_AND_FREE = 3;

    private static final long KIND_MASK = 0b11;
    private static final long SHORT_MASK = 0xFFFF;
    private static final int EPOCH_SHIFT = 3;
    private static final long ALONE = 1L << 2;
    private static final long EPOCH_MASK = SHORT_MASK & ~KIND_MASK & ~ALONE;
    private static final int INDEX_SHIFT = 16;
    private static final int INCARNATION_SHIFT = 32;
    private static final int RANK_SHIFT = 48;

    private Tail() {}

    /** Returns a tail that names the descriptor, in epoch 0. */
    public static long descriptor(int rank, int incarnation, int index) {
        return of(rank, incarnation, index, DESCRIPTOR);
    }

    /** Returns the tail of a queue that this rank repairs. Meanwhile no request enqueues or passes the lock on. */
    public static long closed(int rank, int incarnation, int repair) {
        return of(rank, incarnation, repair & (int) SHORT_MASK, CLOSED);
    }

    /** As {@link #closed}, after the holder of the lock has released it. */
    public static long closedAndFree(long closed) {
        return closed & ~KIND_MASK | CLOSED_AND_FREE;
    }

    private static long of(int rank, int incarnation, int index, long kind) {
        return (long) rank << RANK_SHIFT | (long) incarnation << INCARNATION_SHIFT | (long) index << INDEX_SHIFT | kind;
    }

    public static boolean isClosed(long tail) {
        return (tail & KIND_MASK) >= CLOSED;
    }

    /** Returns the descriptor, in the epoch of another tail. */
    public static long inEpochOf(long tail, long descriptor) {
        return nameOf(descriptor) | tail & EPOCH_MASK;
    }

    /** Returns the descriptor, in the epoch of the repair of that number. */
    public static long inEpoch(long repair, long descriptor) {
        return nameOf(descriptor) | repair << EPOCH_SHIFT & EPOCH_MASK;
    }

    /**
     * Returns the descriptor, alone in the tail of an owner's lock, in that turn of it. The word has 13 bits of the
     * turn.
     */
    public static long inTurn(long turn, long descriptor) {
        return inEpoch(turn, descriptor) | ALONE;
    }

    /**
     * Returns the name that the descriptor has in its next turn. In this turn, no thread knows the descriptor by that
     * name.
     */
    public static long ofNextTurn(long tail) {
        return inTurn(((tail & EPOCH_MASK) >>> EPOCH_SHIFT) + 1, tail);
    }

    public static boolean isOfSameEpoch(long tail, long other) {
        return ((tail ^ other) & EPOCH_MASK) == 0;
    }

    /** Returns true if both are the same descriptor, of any epoch. */
    public static boolean isSameDescriptor(long tail, long other) {
        return nameOf(tail) == nameOf(other);
    }

    private static long nameOf(long tail) {
        return tail & ~(EPOCH_MASK | ALONE);
    }

    /** Returns the rank of the descriptor, or the rank that repairs. */
    public static int rank(long tail) {
        return (int) (tail >>> RANK_SHIFT);
    }

    public static int incarnation(long tail) {
        return (int) (tail >>> INCARNATION_SHIFT & SHORT_MASK);
    }

    public static int index(long tail) {
        return (int) (tail >>> INDEX_SHIFT & SHORT_MASK);
    }
}
