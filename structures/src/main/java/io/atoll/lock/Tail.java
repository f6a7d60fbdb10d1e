package io.atoll.lock;

/**
 * The tail of a cohort's queue: free, or the last descriptor in it, or under repair.
 * <pre>
 *    63          48 47            32 31          16 15        2 1      0
 *   +--------------+----------------+--------------+-----------+--------+
 *   |     rank     |  incarnation   |  descriptor  |   epoch   |  kind  |     all zero: FREE
 *   +--------------+----------------+--------------+-----------+--------+
 * </pre>
 * The epoch is 0, or the number of the repair since which the queue has not been empty: who enqueues takes over that of the tail before. So links from before a repair
 * are known for what they are. (Should one lock be repaired 2^14 times while one request holds it, one would be mistaken.) In the place of the descriptor, a
 * closed tail has the number of the repair among those of its rank. In the local cohort, whose queue nobody repairs, the epoch is the turn of a descriptor that found the lock free, see
 * {@link #inTurn}.
 */
final class Tail {

    public static final long FREE = 0;

    private static final long DESCRIPTOR = 1;
    private static final long CLOSED = 2;
    private static final long CLOSED_AND_FREE = 3;

    private static final long KIND_MASK = 0b11;
    private static final long SHORT_MASK = 0xFFFF;
    private static final int EPOCH_SHIFT = 2;
    private static final long EPOCH_MASK = SHORT_MASK & ~KIND_MASK;
    private static final int INDEX_SHIFT = 16;
    private static final int INCARNATION_SHIFT = 32;
    private static final int RANK_SHIFT = 48;

    private Tail() {}

    /** Of epoch 0. */
    public static long descriptor(int rank, int incarnation, int index) {
        return of(rank, incarnation, index, DESCRIPTOR);
    }

    /** Nobody enqueues or passes the lock on: this rank repairs the queue. */
    public static long closed(int rank, int incarnation, int repair) {
        return of(rank, incarnation, repair & (int) SHORT_MASK, CLOSED);
    }

    /** As {@link #closed}, and who held the lock has released it meanwhile. */
    public static long closedAndFree(long closed) {
        return closed & ~KIND_MASK | CLOSED_AND_FREE;
    }

    private static long of(int rank, int incarnation, int index, long kind) {
        return (long) rank << RANK_SHIFT | (long) incarnation << INCARNATION_SHIFT | (long) index << INDEX_SHIFT | kind;
    }

    public static boolean isClosed(long tail) {
        return (tail & KIND_MASK) >= CLOSED;
    }

    /** The descriptor, in the epoch of another tail. */
    public static long inEpochOf(long tail, long descriptor) {
        return descriptor & ~EPOCH_MASK | tail & EPOCH_MASK;
    }

    /** The descriptor, in the epoch of the repair of that number. */
    public static long inEpoch(long repair, long descriptor) {
        return descriptor & ~EPOCH_MASK | repair << EPOCH_SHIFT & EPOCH_MASK;
    }

    /** The descriptor, in that turn of it, as it stands in the tail of an owner's lock that it alone wants; of the turn there are 14 bits. */
    public static long inTurn(long turn, long descriptor) {
        return inEpoch(turn, descriptor);
    }

    /** What stands there in no turn until the one after. */
    public static long ofNextTurn(long tail) {
        return inTurn(((tail & EPOCH_MASK) >>> EPOCH_SHIFT) + 1, tail);
    }

    public static boolean isOfSameEpoch(long tail, long other) {
        return ((tail ^ other) & EPOCH_MASK) == 0;
    }

    /** Whether both are the same descriptor, of whatever epoch. */
    public static boolean isSameDescriptor(long tail, long other) {
        return ((tail ^ other) & ~EPOCH_MASK) == 0;
    }

    /** Whose descriptor it is, or who repairs. */
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
